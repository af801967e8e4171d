import type { DnsFailure } from "../../apis/contract.ts"
import { type Response, rcodes, typeNumbers } from "./message.ts"
import type { ServerAddress } from "./server-address.ts"

export type Transport = "udp" | "tcp"

export interface Attempt {
  readonly server: ServerAddress
  readonly transport: Transport
  readonly edns: boolean
}

/** The consequence of a response: use it, ask the same server in another way, or ask another server. */
type Verdict<Value> =
  | { readonly kind: "answered"; readonly value: Value }
  | { readonly kind: "ask again"; readonly attempt: Attempt }
  | { readonly kind: "dismissed"; readonly reason: DnsFailure }

/** The codes of servers that do not support EDNS (RFC 6891 §7). */
const ednsRefusals: ReadonlySet<number> = new Set([rcodes.formErr, rcodes.notImp, rcodes.badVers])

/** Judges the response to `attempt`. When `read` throws, the response is malformed. */
export function judge<Value>(
  response: Response,
  attempt: Attempt,
  read: (response: Response) => Value,
): Verdict<Value> {
  const { rcode } = response
  if (attempt.edns && ednsRefusals.has(rcode)) {
    return { kind: "ask again", attempt: { ...attempt, edns: false } }
  }
  if (rcode === rcodes.refused) return { kind: "dismissed", reason: "refused" }
  if ((rcode !== rcodes.noError && rcode !== rcodes.nxDomain) || isReferral(response)) {
    return { kind: "dismissed", reason: "servfail" }
  }
  if (response.truncated) {
    if (attempt.transport === "tcp") return { kind: "dismissed", reason: "malformed" }
    return { kind: "ask again", attempt: { ...attempt, transport: "tcp" } }
  }
  try {
    return { kind: "answered", value: read(response) }
  } catch {
    return { kind: "dismissed", reason: "malformed" }
  }
}

/** NOERROR from a server that has not looked the name up, but says which servers to ask instead. */
function isReferral({ rcode, truncated, answers, authority, ...flags }: Response): boolean {
  if (rcode !== rcodes.noError || truncated || answers.length > 0) return false
  if (flags.authoritative || flags.recursionAvailable) return false
  const types = authority.map(({ type }) => type)
  return types.includes(typeNumbers.NS) && !types.includes(typeNumbers.SOA)
}
