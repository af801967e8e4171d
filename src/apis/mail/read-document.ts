import { unavailable, type WebAnswer, type WebFailure } from "../contract.ts"

const subjects = { policy: "The policy", document: "A document" }
type Kind = keyof typeof subjects

/** A document of another host, or the code and the message of the problem that keeps it from being used. */
type Document<K extends Kind> =
  | { readonly body: Uint8Array; readonly contentType: string | null; readonly refusal: null }
  | { readonly body: null; readonly contentType: null; readonly refusal: Refusal<K> }
type Refusal<K extends Kind> = readonly [code: `${K}_${Obstacle}`, message: string]

/**
 * Judges the answer of a document's host.
 * @param kind the first word of the codes, such as `policy` for `policy_timeout`
 * @throws Unavailable when the failure says nothing of the host
 */
export function readDocument<K extends Kind>(kind: K, answer: WebAnswer): Document<K> {
  const refused = (refusal: Refusal<K>): Document<K> => ({ body: null, contentType: null, refusal })
  if (answer.kind === "failure") {
    const found = obstacles[answer.reason]
    if (typeof found === "string")
      unavailable(`${subjects[kind]} was not read${found}. Try again later.`, answer.reason)
    return refused([`${kind}_${found[0]}`, found[1]])
  }
  const { status, contentType, body } = answer
  if (status >= 300 && status <= 399)
    return refused([`${kind}_redirect`, `The host answers with a redirect (${status}).`])
  if (status !== 200) return refused([`${kind}_status`, `The host answers with the status ${status}.`])
  return { body, contentType, refusal: null }
}

/** The reason why a document of another host could not be read. The codes of problems end with it. */
type Obstacle =
  | "not_read"
  | "unreachable"
  | "private_address"
  | "certificate"
  | "redirect"
  | "status"
  | "timeout"
  | "too_large"

const unreached = (message: string) => ["unreachable", message] as const
const untrusted = (message: string) => ["certificate", message] as const

/** A text alone is a trouble of this service, which says nothing of the host. */
const obstacles: Readonly<Record<WebFailure, readonly [Obstacle, string] | string>> = {
  aborted: " in time",
  "no-route": ", since this service has no route to its host",
  offline: ", since this service reaches no host now",
  off: ["not_read", "This service sends no HTTPS requests."],
  url: unreached("The URL names no host at port 443 that can be asked."),
  "no-address": unreached("The host has no address."),
  dns: unreached("The DNS gave no answer for the host."),
  "private-address": ["private_address", "An address of the host is private or special."],
  unreachable: unreached("The host refuses connections to port 443, or cannot be reached."),
  "expired-certificate": untrusted("The certificate of the host has expired, or is not valid yet."),
  "wrong-certificate": untrusted(
    "The certificate of the host has no DNS name that fits; a common name does not count.",
  ),
  "weak-certificate": untrusted(
    "The certificate of the host, or one above it, can be forged: RSA under 2048 bits, MD5 or SHA-1.",
  ),
  "untrusted-certificate": untrusted(
    "The certificate of the host is not signed by an authority that is trusted.",
  ),
  tls: unreached("The host does not speak TLS as it should."),
  broken: unreached("The host ended the connection before its reply was whole."),
  timeout: ["timeout", "The host did not answer within 10 seconds."],
  "too-large": ["too_large", "The reply has over 65536 bytes."],
}
