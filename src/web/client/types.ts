/** The answers of the operations, as the administration defines them. */
import type { Static } from "@sinclair/typebox"
import type { accountSchema } from "../../admin/accounts/account.ts"
import type { findKey } from "../../admin/keys/find.ts"
import type { keySchema } from "../../admin/keys/key.ts"
import type { listPlans } from "../../admin/plans/list.ts"

export type Account = Static<typeof accountSchema>
export type Key = Static<typeof keySchema>
export type FoundKey = Static<(typeof findKey)["output"]>
export type PlanList = Static<(typeof listPlans)["output"]>

/** One page of a list. */
export interface Listed<T> {
  readonly data: readonly T[]
  readonly has_more: boolean
  /** The `after` of the next page. */
  readonly next: string | null
}
