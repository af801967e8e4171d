import { parseAddress } from "../../values/ip.ts"
import { shorten } from "../../values/text.ts"
import { reject } from "../contract.ts"
import {
  alignedResults,
  type Content,
  dispositions,
  dkimResults,
  namespace9990,
  policies,
  type Shape,
  shape7489,
  shape9990,
  spfResults,
} from "./aggregate-schema.ts"
import type { Findings } from "./findings.ts"
import { maxText, Rows, type Totals } from "./rows.ts"
import type { Sources } from "./sources.ts"
import { childOf, childrenOf, type Element, readXml } from "./xml-tree.ts"

const maxPerRow = 10
/** The last second of the year 9999. */
const maxSeconds = 253_402_300_799
const knownNamespaces = ["", namespace9990, "http://dmarc.org/dmarc-xml/0.1"]

type Row = ReturnType<typeof toRow>

/**
 * Reads an aggregate report of DMARC (RFC 9990, or RFC 7489 without its namespace).
 * @throws InputRejected for `report`, when it is no such report
 */
export function readAggregate(text: string, findings: Findings, totals: Totals, sources: Sources) {
  const rows = new Rows<Row>()
  let is9990 = false
  let hasRecord = false
  const root = readXml(text, {
    onStart({ namespace }, name) {
      is9990 = namespace === namespace9990
      if (is9990 && hasRecord && name !== "record")
        findings.add("order", `feedback/${name}`, "The element must come before record.")
      hasRecord ||= name === "record"
    },
    onRecord(record) {
      const row = toRow(record, `record ${rows.count + 1}`, is9990, findings)
      rows.add(row)
      totals.add(row.count ?? 0, isPassed(row), row.disposition)
      sources.add(row.source_ip, row.count ?? 0, isPassed(row))
    },
  })
  if (root.name !== "feedback")
    reject("report", "must be an aggregate report of DMARC, whose first element is feedback")
  if (!knownNamespaces.includes(root.namespace))
    findings.add("namespace", "feedback", "The namespace is not that of a standard.")
  const { report: shape, isStrict } = is9990 ? shape9990 : shape7489
  checkShape(root, shape, "feedback", { findings, isStrict })
  if (!hasRecord) findings.add("missing", "feedback/record", "There must be a record.")
  const version = textOf(root, "version")
  if (is9990 && version !== null && version !== "1.0")
    findings.add("version", "feedback/version", "The version must be 1.0.")
  return {
    standard: is9990 ? ("rfc9990" as const) : ("rfc7489" as const),
    ...toHead(root, findings),
    ...rows.list(),
  }
}

function toHead(root: Element, findings: Findings) {
  const metadata = childOf(root, "report_metadata")
  const published = childOf(root, "policy_published")
  const policy = (name: string) => choiceOf(published, name, policies)
  const begins_at = toTime(textOf(childOf(metadata, "date_range"), "begin"), "begin", findings)
  const ends_at = toTime(textOf(childOf(metadata, "date_range"), "end"), "end", findings)
  if (begins_at !== null && ends_at !== null && begins_at > ends_at)
    findings.add("range", "feedback/report_metadata/date_range", "The period ends before it begins.")
  return {
    organization: textOf(metadata, "org_name"),
    contact: textOf(metadata, "email"),
    contact_details: textOf(metadata, "extra_contact_info"),
    report_id: textOf(metadata, "report_id"),
    generator: textOf(metadata, "generator"),
    period: { begins_at, ends_at },
    errors: childrenOf(metadata, "error").slice(0, maxPerRow).map(toText),
    published: published
      ? {
          domain: textOf(published, "domain"),
          policy: policy("p"),
          ...{ subdomain_policy: policy("sp"), nonexistent_policy: policy("np") },
          dkim_alignment: modeOf(textOf(published, "adkim")),
          spf_alignment: modeOf(textOf(published, "aspf")),
          is_testing: textOf(published, "testing") === "y",
          discovery_method: choiceOf(published, "discovery_method", ["psl", "treewalk"]),
          ...{ failure_options: textOf(published, "fo"), percent: toInteger(textOf(published, "pct")) },
        }
      : null,
  }
}

function toRow(record: Element, where: string, is9990: boolean, findings: Findings) {
  const { record: shape, isStrict } = is9990 ? shape9990 : shape7489
  checkShape(record, shape, where, { findings, isStrict })
  if (is9990 && record.namespace !== namespace9990)
    findings.add("unknown_element", where, "The record is not in the namespace of the report.")
  const row = childOf(record, "row")
  const evaluated = childOf(row, "policy_evaluated")
  const identifiers = childOf(record, "identifiers")
  const results = childOf(record, "auth_results")
  const [dkim, spf] = [childrenOf(results, "dkim"), childrenOf(results, "spf")]
  return {
    source_ip: toSource(textOf(row, "source_ip"), `${where}/row/source_ip`, findings),
    count: toCount(textOf(row, "count"), `${where}/row/count`, findings),
    disposition: choiceOf(evaluated, "disposition", dispositions),
    dkim: choiceOf(evaluated, "dkim", alignedResults),
    spf: choiceOf(evaluated, "spf", alignedResults),
    reasons: childrenOf(evaluated, "reason")
      .slice(0, maxPerRow)
      .map((reason) => ({ kind: textOf(reason, "type"), comment: textOf(reason, "comment") })),
    header_from: textOf(identifiers, "header_from"),
    envelope_from: textOf(identifiers, "envelope_from"),
    envelope_to: textOf(identifiers, "envelope_to"),
    dkim_results: dkim.slice(0, maxPerRow).map((result) => ({
      ...{ domain: textOf(result, "domain"), selector: textOf(result, "selector") },
      result: choiceOf(result, "result", dkimResults),
      human_result: textOf(result, "human_result"),
    })),
    spf_results: spf.slice(0, maxPerRow).map((result) => ({
      ...{ domain: textOf(result, "domain"), scope: choiceOf(result, "scope", ["mfrom", "helo"]) },
      result: choiceOf(result, "result", spfResults),
      human_result: textOf(result, "human_result"),
    })),
  }
}

/** Whether messages of a row pass DMARC: one of the two is aligned and passes (RFC 9989 §4.1). */
function isPassed({ dkim, spf }: Pick<Row, "dkim" | "spf">): boolean {
  return dkim === "pass" || spf === "pass"
}

function toText({ text }: Element): string {
  return shorten(text.trim(), maxText)
}

function textOf(element: Element | undefined, name: string): string | null {
  const child = childOf(element, name)
  return child === undefined ? null : toText(child)
}

/** Upper and lower case count as the same, although the check reports them. */
function choiceOf<T extends string>(element: Element | undefined, name: string, values: readonly T[]) {
  const value = textOf(element, name)?.toLowerCase()
  return values.find((one) => one === value) ?? null
}

function modeOf(value: string | null) {
  return value?.toLowerCase() === "s" ? ("strict" as const) : ("relaxed" as const)
}

function toInteger(text: string | null): number | null {
  if (text === null || !/^[+-]?\d+$/.test(text)) return null
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : null
}

function toTime(text: string | null, name: string, findings: Findings): string | null {
  const seconds = toInteger(text)
  if (seconds !== null && seconds >= 0 && seconds <= maxSeconds) return new Date(seconds * 1000).toISOString()
  if (text !== null)
    findings.add("range", `feedback/report_metadata/date_range/${name}`, "The time cannot be read.")
  return null
}

function toSource(text: string | null, where: string, findings: Findings): string | null {
  if (text === null) return null
  const address = parseAddress(text)
  if (address === null) findings.add("source_ip", where, "The source is not an IP address.")
  return address?.toString() ?? text
}

function toCount(text: string | null, where: string, findings: Findings): number | null {
  const count = toInteger(text)
  if (count === 0) findings.add("no_messages", where, "The row counts no message.")
  if (count !== null && count >= 0) return count
  if (text !== null && /^[+-]?\d+$/.test(text))
    findings.add("count", where, "The number of messages cannot be right.")
  return null
}

/** Where the differences of an element from its shape go. */
interface ShapeCheck {
  readonly findings: Findings
  /** Whether unknown elements and blanks around values are errors, as an XML Schema has it. */
  readonly isStrict: boolean
}

/**
 * Compares an element with its shape, and its children with theirs.
 * @param where the path of the element, for people
 */
function checkShape(element: Element, shape: Shape, where: string, check: ShapeCheck): void {
  const { findings } = check
  const names = Object.keys(shape.children)
  const counts = new Map<string, number>()
  if (element.text.trim() !== "") findings.add("stray_text", where, "There is text between the elements.")
  let last = 0
  for (const child of element.children) {
    const at = `${where}/${child.name}`
    const place = child.namespace === element.namespace ? names.indexOf(child.name) : -1
    const [occurs, content] = shape.children[names[place] ?? ""] ?? []
    if (occurs === undefined || content === undefined) {
      // Elements of extensions come after all others.
      if (shape.isOpen) last = names.length
      else addUnknown(at, check)
      continue
    }
    const count = (counts.get(child.name) ?? 0) + 1
    counts.set(child.name, count)
    if (count > 1 && (occurs === "1" || occurs === "?"))
      findings.add("repeated", at, "The element may be here only once.")
    if (shape.isOrdered && place < last)
      findings.add("order", at, `The element must come before ${names[last] ?? "those of extensions"}.`)
    last = Math.max(last, place)
    checkContent(child, content, at, check)
  }
  for (const [name, [occurs]] of Object.entries(shape.children))
    if (occurs === "1" && !counts.has(name))
      findings.add("missing", `${where}/${name}`, "The element is missing.")
}

function checkContent(element: Element, content: Content, where: string, check: ShapeCheck): void {
  if (typeof content === "object" && "children" in content) checkShape(element, content, where, check)
  else if (element.children.length > 0) addUnknown(where, check)
  else if (!isOfContent(check.isStrict ? element.text : element.text.trim(), content)) {
    const wanted = typeof content === "string" ? `of the kind ${content}` : `one of ${content.join(", ")}`
    check.findings.add("value", where, `The value must be ${wanted}.`)
  }
}

function addUnknown(where: string, { findings, isStrict }: ShapeCheck): void {
  if (isStrict) findings.add("unknown_element", where, "RFC 9990 has no such element here.")
  else findings.add("extra_element", where, "RFC 7489 has no such element here.")
}

function isOfContent(text: string, content: "text" | "integer" | "decimal" | readonly string[]): boolean {
  // XML Schema takes blanks away from numbers, but not from texts.
  if (content === "integer") return /^[ \t\r\n]*[+-]?\d+[ \t\r\n]*$/.test(text)
  if (content === "decimal") return /^[ \t\r\n]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)[ \t\r\n]*$/.test(text)
  return content === "text" || content.includes(text)
}
