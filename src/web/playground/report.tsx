import type { AuditReport, AuditStatus } from "../../values/audit-report.ts"
import { Tag } from "../kit/text.tsx"

export type { AuditReport }

/** The word and the color of each status. */
const statuses = {
  pass: ["Good", "good"],
  warning: ["In part", "warn"],
  fail: ["To do", "bad"],
  unknown: ["Unknown", "plain"],
  not_applicable: ["Not needed", "plain"],
} as const satisfies Record<AuditStatus, readonly [word: string, tone: string]>

/** The audit of an answer in JSON; null for other formats. */
export function readReport(body: string): AuditReport | null {
  if (!body.startsWith("{")) return null
  const { data }: { readonly data: AuditReport } = JSON.parse(body)
  return data
}

/** An audit as a person reads it: the grade, each check with why and what to do, and the records to publish. */
export function Report({ report }: { readonly report: AuditReport }) {
  const { domain, grade, score, checks, fixes = [], limited_by } = report
  const titleOf = (id: string) => checks.find((check) => check.id === id)?.title ?? id
  return (
    <div class="report stack gap-4">
      <p class="inline gap-4">
        <strong class={`grade grade-${grade.toLowerCase()}`}>{grade}</strong>
        <span>
          {domain} has {score} of 100 points.
          {limited_by.length > 0 &&
            ` Better is not possible before this is mended: ${limited_by.map(titleOf).join(", ")}.`}
        </span>
      </p>
      <ul class="report-checks stack gap-4">
        {checks.map((check) => {
          const [word, tone] = statuses[check.status as AuditStatus]
          return (
            <li key={check.id}>
              <h3 class="row">
                <Tag tone={tone}>{word}</Tag> {check.title}
                {check.max_points > 0 && (
                  <span class="muted">
                    {check.points} of {check.max_points}
                  </span>
                )}
              </h3>
              <p>{check.why}</p>
              {check.advice !== null && <p class="report-advice">{check.advice}</p>}
            </li>
          )
        })}
      </ul>
      {fixes.length > 0 && (
        <section aria-label="What to change">
          <h3 class="row">What to change</h3>
          <ol class="report-fixes stack gap-4">
            {fixes.map((fix) => (
              <li key={fix.line ?? fix.note}>
                <p>
                  {titleOf(fix.check)} <span class="muted">{fix.points} points</span>
                </p>
                {fix.line !== null && (
                  <>
                    <p class="muted">{fix.action === "replace" ? "Replace:" : "Add:"}</p>
                    <pre class="code-block sunken">{fix.line}</pre>
                  </>
                )}
                {fix.file !== null && (
                  <>
                    <p class="muted">{fix.file.url}</p>
                    <pre class="code-block sunken">{fix.file.text}</pre>
                  </>
                )}
                <p class="muted">{fix.note}</p>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  )
}
