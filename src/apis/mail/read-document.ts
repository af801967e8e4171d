import { unavailable, type WebAnswer } from "../contract.ts"
import { type BimiCode, type BimiProblem, problem } from "./bimi-problems.ts"
import { explainFailure } from "./web-failures.ts"

/** A document of another host, or why it cannot be used. */
export type Document =
  | { readonly body: Uint8Array; readonly contentType: string | null; readonly problem: null }
  | { readonly body: null; readonly problem: BimiProblem }

/** Judges the answer of a document's host. @throws Unavailable when the call gave up */
export function readDocument(url: string, answer: WebAnswer): Document {
  const refuse = ([code, message]: readonly [BimiCode, string]): Document => ({
    body: null,
    problem: problem(code, url, message),
  })
  if (answer.kind === "failure") {
    if (answer.reason === "aborted")
      unavailable("A document was not read in time. Try again later.", answer.reason)
    return refuse(explainFailure("document", answer.reason))
  }
  const { status, contentType, body } = answer
  if (status >= 300 && status <= 399)
    return refuse(["document_redirect", `The host answers with a redirect (${status}).`])
  if (status !== 200) return refuse(["document_status", `The host answers with the status ${status}.`])
  return { body, contentType, problem: null }
}
