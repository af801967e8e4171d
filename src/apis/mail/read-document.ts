import { unavailable, type WebAnswer } from "../contract.ts"
import { explainFailure } from "./web-failures.ts"

const subjects = { policy: "The policy", document: "A document" }
type Kind = keyof typeof subjects

/** A document of another host, or the code and the message of the problem that keeps it from being used. */
type Document<K extends Kind> =
  | { readonly body: Uint8Array; readonly contentType: string | null; readonly refusal: null }
  | { readonly body: null; readonly contentType: null; readonly refusal: Refusal<K> }
type Refusal<K extends Kind> =
  | ReturnType<typeof explainFailure<K>>
  | readonly [code: `${K}_redirect` | `${K}_status`, message: string]

/**
 * Judges the answer of a document's host.
 * @param kind the first word of the codes, such as `policy` for `policy_timeout`
 * @throws Unavailable when the call gave up
 */
export function readDocument<K extends Kind>(kind: K, answer: WebAnswer): Document<K> {
  const refuse = (refusal: Refusal<K>): Document<K> => ({ body: null, contentType: null, refusal })
  if (answer.kind === "failure") {
    if (answer.reason === "aborted")
      unavailable(`${subjects[kind]} was not read in time. Try again later.`, answer.reason)
    return refuse(explainFailure(kind, answer.reason))
  }
  const { status, contentType, body } = answer
  if (status >= 300 && status <= 399)
    return refuse([`${kind}_redirect`, `The host answers with a redirect (${status}).`])
  if (status !== 200) return refuse([`${kind}_status`, `The host answers with the status ${status}.`])
  return { body, contentType, refusal: null }
}
