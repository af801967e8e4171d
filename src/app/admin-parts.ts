import type { AdminParts } from "../admin/parts.ts"
import type { Clock, Random } from "../apis/contract.ts"
import { describeConfig } from "../config/describe.ts"
import type { Config } from "../config/load.ts"
import { isPostgresUrl, withoutPassword } from "../store/open.ts"
import type { OpenStore } from "../store/open-store.ts"

/** What {@link createAdminParts} needs besides the configuration. */
export interface AdminPartsOptions {
  readonly opened: OpenStore
  readonly clock: Clock
  readonly random: Random
  /** For the ids of audit records; `random` by default. */
  readonly auditRandom?: Random
  /** Ids of the catalog with the credits of a call. */
  readonly prices: ReadonlyMap<string, number>
  readonly version: string
  readonly startedMs: number
}

/** What the operations of the administration work with, on an open store. */
export function createAdminParts(config: Config, options: AdminPartsOptions): AdminParts {
  const { opened, clock, random, auditRandom = random, prices, version, startedMs } = options
  const { store, admin, outbox, gauges } = opened
  return {
    store,
    admin,
    outbox,
    clock,
    random,
    auditRandom,
    plans: config.plans,
    prices,
    settings: { ...describeConfig(config), db: withoutPassword(config.db) },
    async readHealth() {
      const { charges, refusals } = gauges.activity
      const [storeBytes, notices] = await Promise.all([gauges.bytes(), gauges.notices()])
      const kind = isPostgresUrl(config.db) ? "postgresql" : "sqlite"
      return { version, store: kind, startedMs, storeBytes, notices, charges, refusals }
    },
  }
}
