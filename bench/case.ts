import type { Finding } from "../scripts/findings.ts"
import type { Workbench } from "./workbench.ts"

/** One thing to measure: a file in `cases/`, listed in `cases.ts`. */
export interface Case {
  readonly name: string
  readonly title: string
  /** Runs only when it is named on the command line. */
  readonly onRequest?: boolean
  run(bench: Workbench): Promise<Report>
}

export interface Report {
  readonly rows: readonly Row[]
  readonly findings: readonly Finding[]
  /** The facts with which a reader can judge the figures. */
  readonly notes: readonly string[]
}

/** Figures of one server, or of one part of a long run: medians over the rounds. */
export interface Row {
  readonly subject: string
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time per request, user and system. On a busy machine it is far steadier than requests per second. */
  readonly cpuMicroseconds: number
  readonly idleMb: number
  /** The highest resident memory seen under load. */
  readonly loadMb: number
}
