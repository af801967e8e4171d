import Negotiator from "negotiator"
import { httpLimits } from "./limits.ts"

const { acceptCharacters: maxLength, acceptRanges: maxRanges } = httpLimits

/** The `Accept` or `Accept-Encoding` header of a request; null when it is absent or too long. */
export function acceptedBy(headers: Headers, name: "accept" | "accept-encoding" = "accept"): string | null {
  const text = headers.get(name)
  if (text === null || text.length <= maxRanges) return text
  return text.length > maxLength || text.split(",", maxRanges + 1).length > maxRanges ? null : text
}

/** The one of `codings` that a client prefers (RFC 9110 §12.5.3), or `identity`. */
export function preferredCoding<Coding extends string>(
  headers: Headers,
  codings: readonly Coding[],
): Coding | "identity" {
  const accepted = acceptedBy(headers, "accept-encoding")
  if (accepted === null) return "identity"
  const asked = new Negotiator({ headers: { "accept-encoding": accepted } })
  const preferred = asked.encoding([...codings, "identity"])
  return codings.find((coding) => coding === preferred) ?? "identity"
}
