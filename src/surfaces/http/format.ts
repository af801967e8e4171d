import { type Fault, inputFault } from "../../call/fault.ts"
import type { TextInput } from "../../call/input.ts"
import { mediaTypeNames, negotiate, preferredType } from "../../encode/accept.ts"
import { type Format, formats, isFormat } from "../../encode/formats.ts"

/** The format of an answer, and what is wrong with the `format` parameter, if anything. */
export interface Negotiated {
  readonly format: Format
  readonly problem: Fault | null
  /** Whether an error is to be sent as problem details (RFC 9457) instead of in the envelope. */
  readonly asProblem: boolean
}

/** `?format=` wins over `Accept`. A `format` that cannot be met is refused in the format that `Accept` asks for. */
export function negotiateFormat(request: Request, { parameters }: TextInput): Negotiated {
  const given = parameters.filter(({ name }) => name === "format")
  const accept = request.headers.get("accept")
  if (given.length === 0) {
    return { format: negotiate(accept), problem: null, asProblem: prefersProblem(accept) }
  }
  const readable = given.flatMap(({ text }) => text ?? [])
  const [asked] = readable
  const isGood = readable.length === 1 && asked !== undefined && isFormat(asked)
  return {
    format: isGood ? asked : negotiate(accept),
    problem: isGood && given.length === 1 ? null : problemOf(readable),
    asProblem: !isGood && prefersProblem(accept),
  }
}

const problemType = "application/problem+json"

/** Only a request that names the type gets it. */
function prefersProblem(accept: string | null): boolean {
  if (accept === null || !accept.includes("problem")) return false
  return preferredType(accept, [problemType, ...mediaTypeNames]) === problemType
}

function problemOf(readable: readonly string[]): Fault | null {
  if (readable.length > 1) return inputFault("format", `must be given once, not ${readable.length} times`)
  if (readable[0] !== undefined && !isFormat(readable[0])) {
    return inputFault("format", `must be one of ${formats.join(", ")}`)
  }
  return inputFault("format", "must be percent-encoded UTF-8")
}
