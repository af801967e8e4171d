import type { Plans } from "../accounts/plan.ts"
import type { Clock, Random } from "../apis/contract.ts"
import type { AdminStore } from "../store/admin-store.ts"
import type { Store } from "../store/store.ts"

/** What operations work with. */
export interface AdminParts {
  readonly store: Store
  readonly admin: AdminStore
  readonly clock: Clock
  readonly random: Random
  readonly plans: Plans
  /** Ids of the catalog with the credits of a call, to find mistyped ones and to show prices. */
  readonly prices: ReadonlyMap<string, number>
}
