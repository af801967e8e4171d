import type { Finding } from "../findings.ts"

/** A claim about several instances on one database, and how it is tried: a file in `trials/`, listed in `trials.ts`. */
export interface Trial {
  readonly name: string
  readonly title: string
  /** How often it is tried unless the command line says otherwise. */
  readonly rounds: number
  /** Returns findings, each with the goal that must hold. */
  run(lab: Lab): Promise<readonly Finding[]>
}

/** The parts that trials are made with. */
export interface Lab {
  /** The executable. */
  readonly binary: string
  /** An empty folder for this trial. */
  readonly directory: string
  /** The configuration of the instances. */
  readonly config: string
  readonly rounds: number
  /** Prints progress. */
  readonly say: (text: string) => void
  /** Ends with the trial, however that ends. The latest first. */
  readonly cleanUp: (end: () => Promise<void>) => void
}

/** A 503 comes within the deadline of a step, 500 ms, and a little more. */
export const refusalLimitMs = 650
/** Instances work again so soon after their database is back. */
export const recoveryLimitMs = 1_000

export function none(what: string, value: number): Finding {
  return { what, value, range: null, goal: { atMost: 0 } }
}

export function atMost(what: string, values: readonly number[], limit: number): Finding {
  const value = Math.max(0, ...values)
  return {
    what,
    value,
    range: values.length > 0 ? [Math.min(...values), value] : null,
    goal: { atMost: limit },
  }
}

export function count(what: string, value: number, atLeast: number | null = null): Finding {
  return { what, value, range: null, goal: atLeast === null ? null : { atLeast } }
}
