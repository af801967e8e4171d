/** A change of an account's bonus by an operator. */
export interface AdjustmentRecord {
  /** `adj_…` */
  readonly id: string
  readonly accountId: string
  readonly atMs: number
  /** `undo` takes another one back; `sign_up` is the bonus of the plan at the start. */
  readonly kind: "sign_up" | "grant" | "adjustment" | "undo"
  /** Never 0; negative when credits were taken. */
  readonly credits: number
  readonly reason: string
  /** The operator's own, such as the number of a payment. Unique in the account. */
  readonly reference: string | null
  /** The entry that this one takes back. */
  readonly undoes: string | null
  /** The id of the entry that took this one back. */
  readonly undoneBy: string | null
  /** The name of who made it; empty for the service. */
  readonly madeBy: string
}

/** The adjustments of a list; all conditions hold. */
export interface AdjustmentFilter {
  readonly accountIds: readonly string[]
  readonly fromMs?: number
}

/** The displayed price of a plan and its credits a month from a time on; null without a price, and without a limit. */
export interface PlanTerms {
  readonly plan: string
  readonly fromMs: number
  readonly price: string | null
  readonly monthlyCredits: number | null
}
