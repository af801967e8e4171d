import { Empty } from "../kit/page.tsx"
import { formatNumber, Tag } from "../kit/text.tsx"
import type { CallAnswer } from "./call.ts"
import type { Callable } from "./offered-api.ts"
import { Report, readReport } from "./report.tsx"

/** An answer, and whether it was to a call without a key: its balance is that of all guests together. */
export type ShownAnswer = CallAnswer & { readonly isGuest: boolean }

interface AnswerProps {
  readonly api: Callable
  /** Null before the first call. */
  readonly answer: ShownAnswer | null
}

/** The answer to a call, with its headers and its price. */
export function Answer({ answer, api: { credits, pictures, isAudit, readErrors } }: AnswerProps) {
  const errors = (answer && readErrors?.(answer.body)) ?? []
  const report = isAudit && answer?.status === 200 ? readReport(answer.body) : null
  return (
    <section class="card" aria-label="Answer" aria-live="polite">
      {answer ? (
        <>
          <div class="section-head row between">
            <h2>Answer</h2>
            <p class="row gap-4">
              <Tag tone={answer.status === 200 && errors.length === 0 ? "good" : "bad"}>
                Status {answer.status}
              </Tag>
              {credits !== null && <span>{costOf(answer, credits)}</span>}
              <span class="muted">{answer.ms} ms</span>
            </p>
          </div>
          {errors.length > 0 && (
            <div class="error-box notice bad stack">
              {errors.map((error) => (
                <p key={error}>{error}</p>
              ))}
            </div>
          )}
          {answer.status === 200 &&
            picturesIn(answer.body, pictures).map(([name, address]) => (
              <p key={name}>
                <img class="picture" src={address} alt={`The field ${name} as it is drawn`} />
              </p>
            ))}
          {report ? (
            <>
              <Report report={report} />
              <details class="figures">
                <summary>The answer as it came</summary>
                <Body text={answer.body} />
              </details>
            </>
          ) : (
            <Body text={answer.body} />
          )}
          <details class="figures">
            <summary>Headers</summary>
            <dl class="headers">
              {headersOf(answer).map(([name, value]) => (
                <div key={name}>
                  <dt class="muted">{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </details>
        </>
      ) : (
        <Empty title="No answer yet">Send the call to see its answer, its headers and what it cost.</Empty>
      )}
    </section>
  )
}

function Body({ text }: { readonly text: string }) {
  return (
    <pre class="code-block sunken">
      <code>{text}</code>
    </pre>
  )
}

/** The pictures of an answer in JSON as addresses with their data: scripts of an SVG do not run in an image. */
function picturesIn(body: string, pictures: Callable["pictures"]): readonly (readonly [string, string])[] {
  if (pictures.length === 0 || !body.startsWith("{")) return []
  const { data }: { readonly data?: Readonly<Record<string, unknown>> } = JSON.parse(body)
  return pictures.flatMap(([name, type]) => {
    const value = data?.[name]
    if (typeof value !== "string") return []
    const isText = type === "image/svg+xml"
    return [[name, `data:${type}${isText ? `,${encodeURIComponent(value)}` : `;base64,${value}`}`] as const]
  })
}

/** The balance of all guests together would look like one's own. */
function headersOf({ headers, isGuest }: ShownAnswer): CallAnswer["headers"] {
  return isGuest ? headers.filter(([name]) => !name.startsWith("x-api-")) : headers
}

function costOf({ status, headers, isGuest }: ShownAnswer, credits: number): string {
  if (isGuest) return `Free to try; ${credits === 1 ? "1 credit" : `${credits} credits`} with a key`
  const cost = status === 200 ? credits : 0
  const left = headers.find(([name]) => name === "x-api-remaining-credits")?.[1]
  const text = cost === 0 ? "Cost nothing" : cost === 1 ? "Cost 1 credit" : `Cost ${cost} credits`
  if (left === undefined) return text
  return `${text}, ${/^\d+$/.test(left) ? formatNumber(Number(left)) : left} left`
}
