import { unavailable, type WebAnswer, type WebFailure } from "../contract.ts"
import { type BimiCode, type BimiProblem, problem } from "./bimi-problems.ts"

/** A document of another host, or why it cannot be used. */
export type Document =
  | { readonly body: Uint8Array; readonly contentType: string | null; readonly problem: null }
  | { readonly body: null; readonly problem: BimiProblem }

const unreached = (message: string) => ["document_unreachable", message] as const
const untrusted = (message: string) => ["document_certificate", message] as const

const failures: Readonly<Record<Exclude<WebFailure, "aborted">, readonly [BimiCode, string]>> = {
  off: ["document_not_read", "This service sends no HTTPS requests."],
  url: unreached("The URL names no host at port 443 that can be asked."),
  "no-address": unreached("The host has no address."),
  dns: unreached("The DNS gave no answer for the host."),
  "private-address": ["document_private_address", "An address of the host is private or special."],
  unreachable: unreached("The host refuses connections to port 443, or cannot be reached."),
  "expired-certificate": untrusted("The certificate of the host has expired, or is not valid yet."),
  "wrong-certificate": untrusted("The certificate of the host is for other names."),
  "untrusted-certificate": untrusted(
    "The certificate of the host is not signed by an authority that is trusted.",
  ),
  tls: unreached("The host does not speak TLS as it should."),
  broken: unreached("The host ended the connection before its reply was whole."),
  timeout: ["document_timeout", "The host did not answer within 10 seconds."],
  "too-large": ["document_too_large", "The document has over 65536 bytes."],
}

/** Judges the answer of a document's host. @throws Unavailable when the call gave up */
export function readDocument(url: string, answer: WebAnswer): Document {
  const refuse = ([code, message]: readonly [BimiCode, string]): Document => ({
    body: null,
    problem: problem(code, url, message),
  })
  if (answer.kind === "failure") {
    if (answer.reason === "aborted")
      unavailable("A document was not read in time. Try again later.", answer.reason)
    return refuse(failures[answer.reason])
  }
  const { status, contentType, body } = answer
  if (status >= 300 && status <= 399)
    return refuse(["document_redirect", `The host answers with a redirect (${status}).`])
  if (status !== 200) return refuse(["document_status", `The host answers with the status ${status}.`])
  return { body, contentType, problem: null }
}
