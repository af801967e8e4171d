import { parseAddress } from "../../values/ip.ts"
import { isObject, parseJson } from "../../values/is-object.ts"
import { shorten } from "../../values/text.ts"
import { parseInstant } from "../../values/time-text.ts"
import { reject } from "../contract.ts"
import { policyTypes } from "./aggregate-schema.ts"
import type { Findings } from "./findings.ts"
import { maxText, Rows, type Totals } from "./rows.ts"
import type { Sources } from "./sources.ts"

/** RFC 8460 §4.3. Senders may report other results (§4.3.2.2, registry of IANA). */
const resultTypes = [
  ...["starttls-not-supported", "certificate-host-mismatch", "certificate-expired"],
  ...["certificate-not-trusted", "validation-failure", "tlsa-invalid", "dnssec-invalid", "dane-required"],
  ...["sts-policy-fetch-error", "sts-policy-invalid", "sts-webpki-invalid"],
]
/** About 2,000 failures. Empty objects take sixty times as much memory as text. */
const maxJsonLength = 1_000_000
const maxTexts = 20
const maxFailures = 100

type Json = Readonly<Record<string, unknown>>

/**
 * Reads a report of TLS (RFC 8460 §4.4).
 * @throws InputRejected for `report`, when it is no such report
 */
export function readTlsReport(text: string, findings: Findings, totals: Totals, sources: Sources) {
  const report = parse(text)
  const read = new Members(report, "", findings)
  const range = read.object("date-range")
  const begins_at = toTime(range.text("start-datetime"), "date-range/start-datetime", findings)
  const ends_at = toTime(range.text("end-datetime"), "date-range/end-datetime", findings)
  if (begins_at !== null && ends_at !== null && begins_at > ends_at)
    findings.add("range", "date-range", "The period ends before it begins.")
  const policies = new Rows<ReturnType<typeof toPolicy>>()
  for (const [index, policy] of read.list("policies").entries())
    policies.add(toPolicy(new Members(policy, `policies/${index}/`, findings), totals, sources))
  return {
    organization: read.text("organization-name"),
    contact: read.text("contact-info"),
    report_id: read.text("report-id"),
    period: { begins_at, ends_at },
    ...policies.list(),
  }
}

function parse(text: string): Json {
  if (text.length > maxJsonLength)
    reject("report", `must have at most ${maxJsonLength.toLocaleString("en-US")} characters when it is JSON`)
  const value = parseJson(text)
  if (value === undefined) {
    const end = text.endsWith("}") ? "" : ". It does not end in a brace, so a part may be missing"
    return reject("report", `must be valid JSON if it begins with a brace${end}`)
  }
  if (!isObject(value) || !Array.isArray(value.policies))
    return reject("report", "must be a report of TLS, an object with the list policies")
  return value
}

function toPolicy(row: Members, totals: Totals, sources: Sources) {
  const policy = row.object("policy")
  const summary = row.object("summary")
  const type = policy.text("policy-type")
  const passed = summary.count("total-successful-session-count")
  const failed = summary.count("total-failure-session-count")
  totals.add(passed ?? 0, true)
  totals.add(failed ?? 0, false)
  const failures = row.optionalList("failure-details").map((failure, index) => {
    const member = row.item("failure-details", index, failure)
    const result = member.text("result-type")
    if (result !== null && !resultTypes.includes(result))
      member.add("value", "result-type", "The result is not one of RFC 8460.")
    const read = toFailure(member, result)
    sources.add(read.sending_ip, read.count ?? 0, false)
    return read
  })
  const sum = failures.reduce((total, { count }) => total + (count ?? 0), 0)
  if (failures.length > 0 && failed !== null && sum !== failed)
    row.add("sum", "failure-details", `The failures add up to ${sum}, but the summary says ${failed}.`)
  const known = policyTypes.find((one) => one === type) ?? null
  if (type !== null && known === null)
    policy.add("value", "policy-type", "The type of the policy is not known.")
  return {
    kind: known,
    domain: policy.text("policy-domain"),
    policy: policy.texts("policy-string"),
    mx_hosts: policy.texts("mx-host"),
    ...{ passed, failed },
    failures: failures.slice(0, maxFailures),
    failures_left_out: Math.max(0, failures.length - maxFailures),
  }
}

function toFailure(member: Members, result: string | null) {
  return {
    result,
    count: member.count("failed-session-count"),
    sending_ip: member.address("sending-mta-ip"),
    receiving_host: member.optionalText("receiving-mx-hostname"),
    receiving_helo: member.optionalText("receiving-mx-helo"),
    receiving_ip: member.address("receiving-ip"),
    information: member.optionalText("additional-information"),
    reason_code: member.optionalText("failure-reason-code"),
  }
}

function toTime(text: string | null, where: string, findings: Findings): string | null {
  if (text === null) return null
  const time = parseInstant(text)
  if (time === null) findings.add("range", where, "The time cannot be read.")
  return time === null ? null : new Date(time).toISOString()
}

/** Reads the members of an object, and reports those that are missing or of another kind. */
class Members {
  readonly #object: Json
  readonly #where: string
  readonly #findings: Findings

  /** @param where the path to its members, with a slash at the end */
  constructor(value: unknown, where: string, findings: Findings) {
    this.#object = isObject(value) ? value : {}
    this.#where = where
    this.#findings = findings
    if (!isObject(value)) findings.add("value", where.slice(0, -1), "The value must be an object.")
  }

  add(code: "value" | "sum" | "missing" | "count" | "source_ip", name: string, message: string): void {
    this.#findings.add(code, `${this.#where}${name}`, message)
  }

  item(name: string, index: number, value: unknown): Members {
    return new Members(value, `${this.#where}${name}/${index}/`, this.#findings)
  }

  object(name: string): Members {
    if (this.#isMissing(name)) return new Members({}, `${this.#where}${name}/`, this.#findings)
    return new Members(this.#object[name], `${this.#where}${name}/`, this.#findings)
  }

  text(name: string): string | null {
    return this.#isMissing(name) ? null : this.optionalText(name)
  }

  /** Empty texts and null count as none: many reports have them. */
  optionalText(name: string): string | null {
    const value = this.#object[name]
    if (value === undefined || value === null || value === "") return null
    if (typeof value === "string") return shorten(value, maxText)
    this.add("value", name, "The value must be a text.")
    return null
  }

  /** One text or several; RFC 8460 has both for the names of hosts (§4.4 and its appendix B). */
  texts(name: string): string[] {
    const value = this.#object[name]
    const list: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value]
    const texts = list.filter((one) => typeof one === "string").map((one) => shorten(one, maxText))
    if (texts.length < list.length) this.add("value", name, "The values must be texts.")
    return texts.slice(0, maxTexts)
  }

  address(name: string): string | null {
    const text = this.optionalText(name)
    if (text === null) return null
    const address = parseAddress(text)
    if (address === null) this.add("source_ip", name, "The value is not an IP address.")
    return address?.toString() ?? text
  }

  count(name: string): number | null {
    if (this.#isMissing(name)) return null
    const value = this.#object[name]
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value
    this.add("count", name, "The value must be a number of sessions.")
    return null
  }

  list(name: string): readonly unknown[] {
    return this.#isMissing(name) ? [] : this.optionalList(name)
  }

  optionalList(name: string): readonly unknown[] {
    const value: unknown = this.#object[name]
    if (Array.isArray(value)) return value
    if (value !== undefined && value !== null) this.add("value", name, "The value must be a list.")
    return []
  }

  #isMissing(name: string): boolean {
    const isMissing = this.#object[name] === undefined
    if (isMissing) this.add("missing", name, "The member is missing.")
    return isMissing
  }
}
