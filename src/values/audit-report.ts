export const auditStatuses = ["pass", "warning", "fail", "unknown", "not_applicable"] as const
export type AuditStatus = (typeof auditStatuses)[number]

/** The grades, best first. */
export const grades = ["A", "B", "C", "D", "E", "F"] as const
export type Grade = (typeof grades)[number]

/** The parts of an answer of mailaudit that a report shows. */
export interface AuditReport {
  readonly domain: string
  readonly grade: Grade
  readonly score: number
  /** The ids of checks that keep the score from a better grade. */
  readonly limited_by: readonly string[]
  readonly checks: readonly AuditCheck[]
  /** Absent on a plan without premium fields. */
  readonly fixes?: readonly AuditFix[]
}

interface AuditCheck {
  readonly id: string
  readonly title: string
  /** One of {@link auditStatuses}, or a later one. */
  readonly status: string
  readonly points: number
  readonly max_points: number
  readonly why: string
  readonly advice: string | null
}

interface AuditFix {
  readonly check: string
  readonly points: number
  readonly line: string | null
  readonly action: "add" | "replace" | null
  readonly file: { readonly url: string; readonly text: string } | null
  readonly note: string
}
