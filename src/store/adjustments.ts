import type { Page } from "./list-filters.ts"

/** The administration's store of adjustments and the terms of plans. Every method may reject with StoreUnavailable. */
export interface CreditsStore {
  /** Operators' changes of the bonus of accounts, newest first: sorted by `atMs` and `id`. */
  adjustments(filter: AdjustmentFilter, page: Page): Promise<readonly AdjustmentRecord[]>
  findAdjustment(id: string): Promise<AdjustmentRecord | null>
  /** The adjustment of an account with the operator's own reference. */
  findReferredAdjustment(accountId: string, reference: string): Promise<AdjustmentRecord | null>
  /** The terms of all plans, oldest first. A row is added when they change. */
  planTerms(): Promise<readonly PlanTerms[]>
  /** Adds terms, unless some of the same plan and time are there. */
  addPlanTerms(terms: PlanTerms): Promise<void>
}

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

/**
 * Ends the change with `tooMuch` when the bonus would exceed `maxBonus`, with `tooLittle` when credits are taken and it would be
 * below zero, or below `-maxBonus` if the account may owe credits, and with `conflict` when there is an entry with its reference,
 * or one that undoes the same.
 */
export interface AdjustMutation {
  readonly kind: "account.adjust"
  /** The account's id. */
  readonly id: string
  readonly entry: Omit<AdjustmentRecord, "undoneBy">
  readonly maxBonus: number
  readonly mayOwe: boolean
}
