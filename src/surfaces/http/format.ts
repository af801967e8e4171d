import { type Fault, inputFault } from "../../call/fault.ts"
import type { TextInput } from "../../call/input.ts"
import { negotiate } from "../../encode/accept.ts"
import { type Format, formats, isFormat } from "../../encode/formats.ts"

/** The format of an answer, and what is wrong with the `format` parameter, if anything. */
export interface Negotiated {
  readonly format: Format
  readonly problem: Fault | null
}

/** `?format=` wins over `Accept`. A `format` that cannot be met is refused in the format that `Accept` asks for. */
export function negotiateFormat(request: Request, { parameters }: TextInput): Negotiated {
  const given = parameters.filter(({ name }) => name === "format")
  if (given.length === 0) return { format: negotiate(request.headers.get("accept")), problem: null }
  const readable = given.flatMap(({ text }) => text ?? [])
  const [asked] = readable
  const isGood = readable.length === 1 && asked !== undefined && isFormat(asked)
  return {
    format: isGood ? asked : negotiate(request.headers.get("accept")),
    problem: isGood && given.length === 1 ? null : problemOf(readable),
  }
}

function problemOf(readable: readonly string[]): Fault | null {
  if (readable.length > 1) return inputFault("format", `must be given once, not ${readable.length} times`)
  if (readable[0] !== undefined && !isFormat(readable[0])) {
    return inputFault("format", `must be one of ${formats.join(", ")}`)
  }
  return inputFault("format", "must be percent-encoded UTF-8")
}
