import type { WebFailure } from "../contract.ts"

/** The reason why a document of another host could not be read. The codes of problems end with it. */
type Obstacle = "not_read" | "unreachable" | "private_address" | "certificate" | "timeout" | "too_large"

const unreached = (message: string) => ["unreachable", message] as const
const untrusted = (message: string) => ["certificate", message] as const

const obstacles: Readonly<Record<Exclude<WebFailure, "aborted">, readonly [Obstacle, string]>> = {
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

/**
 * The code and the message of a problem, for a request that failed.
 * @param kind the first word of the code, such as `policy` for `policy_timeout`
 */
export function explainFailure<Kind extends string>(
  kind: Kind,
  reason: Exclude<WebFailure, "aborted">,
): readonly [`${Kind}_${Obstacle}`, string] {
  const [obstacle, message] = obstacles[reason]
  return [`${kind}_${obstacle}`, message]
}
