/** Results of programs that measure and try the executable, and how their command lines are read. */
import { InvalidArgumentError } from "commander"

/** One figure, compared with a goal if it has one. */
export interface Finding {
  readonly what: string
  readonly value: number
  /** Lowest and highest value of the rounds. */
  readonly range: readonly [number, number] | null
  readonly goal: Goal | null
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** Reads an option of the command line. */
export function toCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Write a whole number, 1 or more.")
  return Number(text)
}

/** Whether a value meets a goal. */
export function meets(value: number, goal: Goal): boolean {
  return "atLeast" in goal ? value >= goal.atLeast : value <= goal.atMost
}

/** Findings as a table for people. */
export function toTable(findings: readonly Finding[]): string {
  return Bun.inspect
    .table(Object.fromEntries(findings.map((finding) => [finding.what, cells(finding)])))
    .trimEnd()
}

function cells({ value, range, goal }: Finding): Record<string, string> {
  return {
    value: value.toFixed(2),
    rounds: range ? `${range[0].toFixed(2)} to ${range[1].toFixed(2)}` : "",
    goal: goal ? ("atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`) : "",
    result: goal ? (meets(value, goal) ? "met" : "MISSED") : "",
  }
}
