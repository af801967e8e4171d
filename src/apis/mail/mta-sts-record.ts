import { type AddProblem, type MtaStsProblem, newProblems } from "./mta-sts-problems.ts"
import { showBytes } from "./shown-bytes.ts"
import { explainPart, readTagList } from "./tag-list.ts"

const version = /^v=STSv1[ \t]*;/

/** Reads the `id` of a record that begins with the version. Null for one that senders do not take. */
export function readId(record: string): {
  readonly id: string | null
  readonly problems: readonly MtaStsProblem[]
} {
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
export function caseOrUnknown(name: string, known: readonly string[], where: string): Parameters<AddProblem> {
  const meant = known.find((one) => one === name.toLowerCase())
  return meant === undefined
    ? ["unknown_field", where, `The field ${name} is not known.`]
    : ["other_case", where, `The field is ${name}; its name must be ${meant}.`]
}
