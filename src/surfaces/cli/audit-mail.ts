import { styleText } from "node:util"
import { type Command, InvalidArgumentError } from "commander"
import { type AuditReport, type Grade, grades } from "../../values/audit-report.ts"
import { escapeHidden } from "../../values/hidden-characters.ts"
import { example, type Terminal } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { onConfig } from "./settings.ts"
import { collect } from "./values.ts"

interface Flags {
  readonly failBelow: Grade
  readonly selector?: readonly string[]
  readonly json?: boolean
}

/** `audit-mail`: the report of mailaudit for one domain, with an exit code by grade, for the CI of a zone. */
export function addAuditMail(program: Command, parts: CliParts): void {
  const command = program
    .command("audit-mail <domain>")
    .summary("Check whether the mail of a domain arrives and cannot be forged.")
    .description(
      "Prints the report of the API mailaudit for a domain: its grade, each check, and what to change as lines for its zone file. " +
        "The exit code is 0 for grade A or B and 1 for a worse one, or when the DNS does not answer.",
    )
    .option("--fail-below <GRADE>", "the worst grade with exit code 0, from A to F", toGrade, "B")
    .option("--selector <NAME>", "a selector with which the domain signs its mail (repeatable)", collect)
    .option("--json", "print the data on one line")
    .addHelpText("after", example("penknife audit-mail example.com --fail-below C"))
  const keys = ["dnsServers", "noOutbound", "dnssecAnchor"] as const
  onConfig(command, keys, parts, async (config, flags: Flags, domain) => {
    const prepared = (await parts.loadApis(config)).apis.find(
      ({ definition }) => definition.id === "mailaudit",
    )
    if (!prepared) throw new Error("no API 'mailaudit' in the catalog")
    const selectors = (flags.selector ?? []).map((text) => ({ name: "selectors", text }))
    const parameters = [{ name: "domain", text: domain ?? "" }, ...selectors]
    const calls = parts.createLocalCalls(config)
    const json = JSON.stringify(await calls(prepared, { kind: "text", parameters }))
    const data: AuditReport = JSON.parse(json)
    const { terminal } = parts
    if (flags.json) terminal.out(`${json}\n`)
    else terminal.styled(toReport(data, terminal))
    if (grades.indexOf(data.grade) > grades.indexOf(flags.failBelow))
      throw new GradeTooLow(`${data.domain} has grade ${data.grade}, which is below ${flags.failBelow}`)
  })
}

function toGrade(text: string): Grade {
  const grade = grades.find((one) => one === text.toUpperCase())
  if (grade) return grade
  throw new InvalidArgumentError("Write a grade from A to F.")
}

/** Thrown after the report of a domain whose grade is worse than wanted. */
export class GradeTooLow extends Error {
  override readonly name = "GradeTooLow"
}

const fullWidth = 100
const indent = "      "
const marks: Readonly<Record<string, readonly [word: string, colour: "green" | "yellow" | "red" | "gray"]>> =
  {
    pass: ["ok", "green"],
    warning: ["warn", "yellow"],
    fail: ["FAIL", "red"],
    unknown: ["?", "yellow"],
    not_applicable: ["-", "gray"],
  }

/**
 * The grade, each check with a word and why, and what to change, in the order of the answer. Hidden characters of texts from
 * the DNS are escaped. No line is broken that does not go to a terminal.
 */
export function toReport(
  audit: AuditReport,
  { columns, colours }: Pick<Terminal, "columns" | "colours">,
): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colours ? styleText(style, text, { validateStream: false }) : text
  const width = columns === null ? Number.POSITIVE_INFINITY : Math.max(40, Math.min(columns, fullWidth))
  const { fixes = [] } = audit
  const lines: string[] = []
  const add = (text: string) => {
    const wrapped = Bun.wrapAnsi(escapeHidden(text), width - indent.length)
    lines.push(...wrapped.split("\n").map((line) => indent + line))
  }

  const titles = new Map(audit.checks.map(({ id, title }) => [id, escapeHidden(title)]))
  const titleOf = (id: string) => titles.get(id) ?? escapeHidden(id)
  const colour = gradeColour(audit.grade)
  lines.push(
    `${paint("bold", escapeHidden(audit.domain))}  grade ${paint([colour, "bold"], audit.grade)}, ${audit.score} of 100 points`,
  )
  if (audit.limited_by.length > 0)
    lines.push(`No better grade because of: ${audit.limited_by.map(titleOf).join(", ")}`)
  lines.push("")
  for (const { title, status, points, max_points, why, advice } of audit.checks) {
    const [word, markColour] = marks[status] ?? [status, "gray"]
    const worth = max_points === 0 ? "" : `  ${toPoints(points)}/${max_points}`
    lines.push(`${paint(markColour, word.padEnd(4))}  ${paint("bold", escapeHidden(title))}${worth}`)
    add(why)
    if (advice !== null) add(`To do: ${advice}`)
  }
  if (fixes.length > 0) lines.push("", paint("bold", "What to change"))
  for (const { check, points, line, action, file, note } of fixes) {
    lines.push("", `+${toPoints(points)}  ${titleOf(check)}`)
    add(note)
    // Printed unchanged, so that they can be copied.
    if (line !== null)
      lines.push(action === "replace" ? "Replace the present record:" : "Add:", escapeHidden(line))
    if (file !== null)
      lines.push(escapeHidden(file.url), ...file.text.trimEnd().split(/\r?\n/).map(escapeHidden))
  }
  return `${lines.join("\n").trimEnd()}\n`
}

function gradeColour(grade: Grade): "green" | "yellow" | "red" {
  if (grade === "A" || grade === "B") return "green"
  return grade === "C" || grade === "D" ? "yellow" : "red"
}

function toPoints(points: number): string {
  return String(Math.round(points * 10) / 10)
}
