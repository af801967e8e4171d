import { type Command, InvalidArgumentError } from "commander"
import { type AuditReport, type Grade, grades } from "../../values/audit-report.ts"
import { toReport } from "./audit-report.ts"
import { example } from "./output.ts"
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
