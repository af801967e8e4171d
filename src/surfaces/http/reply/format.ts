import Negotiator from "negotiator"
import { Fault, inputFault } from "../../../call/fault.ts"
import {
  type Format,
  formats,
  isFormat,
  mediaTypeNames,
  negotiate,
  preferredType,
} from "../../../encode/formats.ts"
import { httpLimits } from "../read/limits.ts"
import type { Query } from "../read/query.ts"

/** The format of an answer, and what is wrong with the `format` parameter, if anything. */
export interface Negotiated {
  readonly format: Format
  readonly problem: Fault | null
  /** Whether an error is to be sent as problem details (RFC 9457) instead of in the envelope. */
  readonly asProblem: boolean
}

/** `?format=` wins over `Accept`. A `format` that cannot be met is refused in the format that `Accept` asks for. */
export function negotiateFormat(request: Request, { parameters, isCut }: Query): Negotiated {
  const given = parameters.filter(({ name }) => name === "format")
  const accept = acceptedBy(request.headers)
  if (given.length === 0)
    return {
      format: negotiate(accept),
      problem: isCut ? tooManyParameters : null,
      asProblem: prefersProblem(accept),
    }
  const readable = given.flatMap(({ text }) => text ?? [])
  const [asked] = readable
  const isGood = readable.length === 1 && asked !== undefined && isFormat(asked)
  return {
    format: isGood ? asked : negotiate(accept),
    problem: isCut ? tooManyParameters : isGood && given.length === 1 ? null : problemOf(readable),
    asProblem: !isGood && prefersProblem(accept),
  }
}

/** The refusal of a query string that was not read to its end. */
export const tooManyParameters = new Fault(
  "inputRejected",
  `The query string must have at most ${httpLimits.queryParameters} parameters. Send lists to APIs that take POST.`,
)

const problemType = "application/problem+json"

/** Only a request that names the type gets it. */
function prefersProblem(accept: string | null): boolean {
  if (accept === null || !accept.includes("problem")) return false
  return preferredType(accept, [problemType, ...mediaTypeNames]) === problemType
}

function problemOf(readable: readonly string[]): Fault | null {
  if (readable.length > 1) return inputFault("format", `must be given once, not ${readable.length} times`)
  if (readable[0] !== undefined && !isFormat(readable[0]))
    return inputFault("format", `must be one of ${formats.join(", ")}`)
  return inputFault("format", "must be percent-encoded UTF-8")
}

const { acceptCharacters: maxLength, acceptRanges: maxRanges } = httpLimits

/** The `Accept` or `Accept-Encoding` header of a request; null when it is absent or too long. */
export function acceptedBy(headers: Headers, name: "accept" | "accept-encoding" = "accept"): string | null {
  const text = headers.get(name)
  if (text === null || text.length <= maxRanges) return text
  return text.length > maxLength || text.split(",", maxRanges + 1).length > maxRanges ? null : text
}

/** The one of `codings` that a client prefers (RFC 9110 §12.5.3), or `identity`. */
export function preferredCoding<Coding extends string>(headers: Headers, codings: readonly Coding[]) {
  const accepted = acceptedBy(headers, "accept-encoding")
  if (accepted === null) return "identity"
  const asked = new Negotiator({ headers: { "accept-encoding": accepted } })
  const preferred = asked.encoding([...codings, "identity"])
  return codings.find((coding) => coding === preferred) ?? "identity"
}

/** Media types of an answer (GraphQL over HTTP §4.1). */
const json = "application/json"
const graphqlJson = "application/graphql-response+json"

/** The media type that an `Accept` header asks for; JSON when it asks for neither. */
export function mediaTypeFor(accept: string | null): string {
  if (!accept?.toLowerCase().includes(graphqlJson)) return json
  return preferredType(accept, [graphqlJson, json]) ?? json
}
