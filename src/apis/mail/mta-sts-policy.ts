import { type AddProblem, newProblems } from "./mta-sts-problems.ts"
import { explainPart, readTagList, showBytes, showText, trimBlanks } from "./tag-list.ts"

/** The modes of a policy, the strictest first (RFC 8461 §3.2). */
export const modes = ["enforce", "testing", "none"] as const

/** The fields of a policy; null or empty where they are missing or not valid. */
interface MtaStsPolicy {
  readonly version: string | null
  readonly mode: (typeof modes)[number] | null
  /** In lower case, as they stand otherwise. */
  readonly mx: readonly string[]
  /** Seconds. */
  readonly max_age: number | null
}

const known = ["version", "mode", "mx", "max_age"]
/** The longest time for which senders keep a policy (RFC 8461 §3.2): a year. */
const longestAge = 31_557_600
const day = 86_400
/** RFC 5321 §4.1.2, `Domain`, with or without a label for any. */
const pattern = /^(?:\*\.)?[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/
/** The value of an extension: visible characters, with spaces between them. */
const extensionValue =
  /^[\x21-\x7e\u{80}-\u{10ffff}](?:[\x20-\x7e\u{80}-\u{10ffff}]*[\x21-\x7e\u{80}-\u{10ffff}])?$/u

const mxCauses: readonly (readonly [form: RegExp, cause: string])[] = [
  [/["']/, "Leave out the quotation marks."],
  [/[\s,;]/, "Give each mail server a line of its own."],
  [/^\./, "Write *. for a dot at the beginning."],
  [/\.$/, "Leave out the dot at the end."],
  [/[^\x20-\x7e]/, "Write international names as A-labels (xn--)."],
  [/\*/, "A star can only be the first label."],
]

/** Reads a policy (RFC 8461 §3.2). */
export function readPolicy(text: string) {
  const [problems, add] = newProblems()
  const fields = readFields(text, add)
  const mx: string[] = []
  for (const { value, where } of fields.get("mx") ?? []) {
    const name = value.toLowerCase()
    if (name.length <= 255 && pattern.test(name) && !name.split(".").some((label) => label.length > 63))
      mx.push(name)
    else {
      const cause = mxCauses.find(([form]) => form.test(value))?.[1] ?? "Write it as in mail.example.com."
      add("mx", where, `'${showText(value)}' is not the name of a mail server. ${cause}`)
    }
  }
  for (const name of ["version", "mode", "max_age"]) {
    const [, second] = fields.get(name) ?? []
    if (second) add("repeated_field", second.where, `There is a ${name} before; the first one counts.`)
  }
  const first = (name: string) => fields.get(name)?.[0]
  const version = first("version")?.value ?? null
  if (version === null) add("version", "policy", "The policy has no version.")
  else if (version !== "STSv1") {
    const message = `The version must be STSv1, not '${showText(version)}'.`
    add("version", first("version")?.where ?? "policy", message)
  }
  const mode = readMode(first("mode"), add)
  const max_age = readAge(first("max_age"), add)
  if (mode !== "none" && !fields.has("mx")) add("mx", "policy", "The policy has no mx.")
  const policy: MtaStsPolicy = { version, mode, mx: [...new Set(mx)], max_age }
  return { policy, problems }
}

interface Field {
  readonly value: string
  readonly where: string
}

/** The known fields by their names. */
function readFields(text: string, add: AddProblem): ReadonlyMap<string, readonly Field[]> {
  const fields = new Map<string, Field[]>()
  const lines = text.split(/\r?\n/)
  // The last line may end as the others do.
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  for (const [index, line] of lines.entries()) {
    const where = `policy, line ${index + 1}`
    const at = line.indexOf(":")
    const name = line.slice(0, Math.max(0, at))
    const value = trimBlanks(line.slice(at + 1))
    if (known.includes(name)) fields.getOrInsertComputed(name, () => []).push({ value, where })
    else if (!/^[A-Za-z\d][\w.-]{0,31}$/.test(name) || !extensionValue.test(value))
      add(
        "policy_syntax",
        where,
        trimBlanks(line) === ""
          ? "The line is empty."
          : `'${showText(line)}' is not a name, a colon and a value.`,
      )
    else add(...caseOrUnknown(name, known, where))
  }
  return fields
}

function readMode(field: Field | undefined, add: AddProblem): MtaStsPolicy["mode"] {
  const mode = modes.find((one) => one === field?.value) ?? null
  if (mode === null)
    add(
      "mode",
      field?.where ?? "policy",
      field
        ? `The mode must be enforce, testing or none, not '${showText(field.value)}'.`
        : "The policy has no mode.",
    )
  if (mode === "testing") add("testing", "mode", "Mail is delivered in any case; failures are only reported.")
  if (mode === "none") add("none", "mode", "The policy protects nothing.")
  return mode
}

function readAge(field: Field | undefined, add: AddProblem): number | null {
  if (!field || !/^\d{1,10}$/.test(field.value) || Number(field.value) > longestAge) {
    const text = field
      ? `The max_age must be a number of seconds from 0 to 31557600, not '${showText(field.value)}'.`
      : "The policy has no max_age."
    add("max_age", field?.where ?? "policy", text)
    return null
  }
  const seconds = Number(field.value)
  if (seconds < day) add("short_max_age", field.where, `Senders keep the policy for ${seconds} seconds only.`)
  return seconds
}

/** Returns the function that tells which `mx` covers a host: its name, or `*.` and all but its first label (RFC 8461 §4.1). */
export function coverBy(mx: readonly string[]): (host: string) => string | null {
  const all = new Set(mx)
  return (host) => {
    const name = host.toLowerCase()
    const wide = `*${name.slice(name.indexOf("."))}`
    if (all.has(name)) return name
    return name.includes(".") && all.has(wide) ? wide : null
  }
}

const version = /^v=STSv1[ \t]*;/

/** Reads the `id` of a record that begins with the version. Null for one that senders do not take. */
export function readId(record: string) {
  const [problems, add] = newProblems()
  const ids: string[] = []
  for (const [index, { text: field }] of readTagList(record.replace(version, "")).entries()) {
    const where = `record, field ${index + 2}`
    const [, name, value = ""] = /^([A-Za-z\d][\w.-]{0,31})=([\x21-\x3a\x3c\x3e-\x7e]+)$/.exec(field) ?? []
    if (name === "id") ids.push(value)
    else if (field === "id=") ids.push("")
    else if (name === undefined) add("record_syntax", where, explainPart(field))
    else add(...caseOrUnknown(name, ["id"], where))
  }
  const [id] = ids
  if (id === undefined) add("missing_id", "record", "The record has no id.")
  else if (!/^[A-Za-z\d]{1,32}$/.test(id))
    add("id", "record", `The id must be 1 to 32 letters and digits, not '${showBytes(id)}'.`)
  if (ids.length > 1) add("repeated_field", "record", "There are several ids; the first one counts.")
  return { id: problems.some(({ severity }) => severity === "error") ? null : (id ?? null), problems }
}

/** The problem of a field that does not count: a known one in other letters, or one of an extension. */
function caseOrUnknown(name: string, known: readonly string[], where: string): Parameters<AddProblem> {
  const meant = known.find((one) => one === name.toLowerCase())
  return meant === undefined
    ? ["unknown_field", where, `The field ${name} is not known.`]
    : ["other_case", where, `The field is ${name}; its name must be ${meant}.`]
}
