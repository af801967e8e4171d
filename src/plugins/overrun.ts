import { InputRejected } from "../apis/contract.ts"

/** The limit that a run in a thread went over. */
export type Excess = "time" | "memory" | "depth" | "answer"

/** Thrown when the input of an isolated API asks for too much. */
export class Overrun extends Error {
  override readonly name = "Overrun"
  readonly excess: Excess
  constructor(excess: Excess) {
    super(excess)
    this.excess = excess
  }
}

/** The limit that an isolated API went over; null for any other failure. */
export function excessOf(thrown: unknown): Excess | null {
  if (thrown instanceof Overrun) return thrown.excess
  if (!(thrown instanceof RangeError)) return null
  if (thrown.message.includes("call stack")) return "depth"
  return /memory|invalid (?:array|string) length/i.test(thrown.message) ? "memory" : null
}

/** The refusal of an input that asks for too much. It names the longest parameter, since that is the likeliest to change. */
export function toRejection(
  excess: Excess,
  input: Readonly<Record<string, unknown>>,
  limits: { readonly limitMs: number; readonly maxOutputLength: number },
): InputRejected {
  const reasons: Readonly<Record<Excess, string>> = {
    time: `takes too long: the call was ended after ${limits.limitMs} ms of processor time`,
    memory: "takes too much memory",
    depth: "is nested too deeply",
    answer: `makes an answer of more than ${limits.maxOutputLength.toLocaleString("en-US")} characters`,
  }
  const lengthOf = (value: unknown) => JSON.stringify(value).length
  const [longest = "body", ...others] = Object.entries(input)
    .filter(([, value]) => typeof value === "string" || typeof value === "object")
    .sort(([, one], [, other]) => lengthOf(other) - lengthOf(one))
    .map(([name]) => name)
  const more = others.length > 0 ? `, or change ${others.map((name) => `'${name}'`).join(", ")}` : ""
  return new InputRejected(longest, `${reasons[excess]}. Make it shorter or simpler${more}`)
}
