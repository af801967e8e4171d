import { defineProblems } from "../../values/problems.ts"

export const { problemList, problem } = defineProblems({
  encoding: "warning: bytes that are no text in the encoding that the report names",
  extra_bytes:
    "info: bytes after the end of the gzip or ZIP file, as some gateways add them; they are ignored",
  namespace: "warning: an XML namespace that no standard gives to such reports",
  missing: "error: an element or member that every report must have",
  repeated: "error: an element more often than it may be there",
  order: "error: an element before one that must come first (RFC 9990)",
  unknown_element: "error: an element that RFC 9990 does not have at that place",
  extra_element: "info: an element that RFC 7489 does not define; it was not read",
  stray_text: "error: text where only elements may be",
  value: "error: a value of a kind, or outside of a list, that the standard does not allow",
  version: "error: another version than 1.0 (RFC 9990)",
  range: "error: a period that ends before it begins, or a time that cannot be read",
  source_ip: "error: a source that is no IP address",
  count: "error: a number of messages or sessions below zero, or too large",
  no_messages: "warning: a row that counts no message",
  sum: "warning: failures that add up to another number than the summary of their policy says",
  problems_left_out: "info: more than 100 problems, of which only the first are listed",
})

type ReportProblem = ReturnType<typeof problem>

const maxListed = 100

/** The problems of a report, of which the first 100 are kept. */
export class Findings {
  readonly #listed: ReportProblem[] = []
  #leftOut = 0
  #hasError = false

  add(code: ReportProblem["code"], where: string, message: string): void {
    const one = problem(code, where, message)
    this.#hasError ||= one.severity === "error"
    if (this.#listed.length < maxListed) this.#listed.push(one)
    else this.#leftOut++
  }

  /** Whether no problem is an error, those included that are not listed. */
  get isValid(): boolean {
    return !this.#hasError
  }

  list(): ReportProblem[] {
    if (this.#leftOut === 0) return this.#listed
    const message = `${this.#leftOut} more problems are not listed.`
    return [...this.#listed, problem("problems_left_out", "report", message)]
  }
}
