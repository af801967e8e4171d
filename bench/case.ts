import type { Workbench } from "./workbench.ts"

/** One thing to measure, in a file of its own in `cases/`, listed in `cases.ts`. */
export interface Case {
  readonly name: string
  readonly title: string
  /** Runs only when it is named. */
  readonly onRequest?: boolean
  run(bench: Workbench): Promise<Report>
}

export interface Report {
  readonly rows: readonly Row[]
  readonly findings: readonly Finding[]
  /** What a reader has to know to judge the figures. */
  readonly notes: readonly string[]
}

/** Figures of one server, or of one stretch of a long run: medians over the rounds. */
export interface Row {
  readonly subject: string
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time per request, user and system; far steadier than requests per second on a busy machine. */
  readonly cpuMicroseconds: number | null
  readonly idleMb: number | null
  /** The most that was resident while loaded. */
  readonly loadMb: number | null
}

/** A figure that a goal is read against. */
export interface Finding {
  readonly what: string
  readonly value: number
  /** Lowest and highest of the rounds. */
  readonly range: readonly [number, number] | null
  readonly goal: Goal | null
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** Whether a value meets a goal. Nothing depends on it but what is printed. */
export function meets(value: number, goal: Goal): boolean {
  return "atLeast" in goal ? value >= goal.atLeast : value <= goal.atMost
}
