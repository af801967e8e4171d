/** Results of programs that measure and try the executable. */

/** One figure, compared with a goal if it has one. */
export interface Finding {
  readonly what: string
  readonly value: number
  /** Lowest and highest value of the rounds. */
  readonly range: readonly [number, number] | null
  readonly goal: Goal | null
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number }

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
