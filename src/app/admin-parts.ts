import type { AdminAccess } from "../admin/admin-access.ts"
import { createAdministration } from "../admin/administration.ts"
import type { Backups } from "../admin/backups/backups.ts"
import type { ConfigControl } from "../admin/config/config-control.ts"
import type { Instances } from "../admin/health/service-health.ts"
import type { AdminParts, PageAddresses } from "../admin/parts.ts"
import { createSessions } from "../admin/sessions/sessions.ts"
import { createSignIn } from "../admin/sign-in.ts"
import type { Clock, Random } from "../apis/contract.ts"
import { describeConfig } from "../config/describe.ts"
import type { Config } from "../config/load.ts"
import { isPostgresUrl } from "../store/open.ts"
import type { OpenStore } from "../store/open-store.ts"

/** The parts that {@link createAdminParts} needs, except the configuration. */
export interface AdminPartsOptions {
  readonly opened: OpenStore
  readonly clock: Clock
  readonly random: Random
  /** For the ids of audit records; `random` by default. */
  readonly auditRandom?: Random
  readonly backups: Backups
  readonly watchRequests: AdminParts["watchRequests"]
  readonly pages: PageAddresses
  readonly version: string
  readonly startedMs: number
  /** The processes that work on the same database; null for a data file. */
  readonly instances?: () => Instances | null
  /** Reads the configuration again. */
  readonly config: ConfigControl
}

/** The running configuration. */
export interface RunningConfig {
  readonly config: Config
  /** Ids of the catalog with the credits of a call. */
  readonly prices: ReadonlyMap<string, number>
}

/** The parts that operations of the administration use, on an open store. */
export function createAdminParts(running: () => RunningConfig, options: AdminPartsOptions): AdminParts {
  const {
    opened,
    clock,
    random,
    auditRandom = random,
    backups,
    watchRequests,
    pages,
    version,
    startedMs,
    instances = () => null,
    config: control,
  } = options
  const { store, admin, outbox, history, gauges } = opened
  return {
    store,
    admin,
    outbox,
    history,
    clock,
    random,
    auditRandom,
    config: control,
    get plans() {
      return running().config.plans
    },
    get prices() {
      return running().prices
    },
    get settings() {
      return describeConfig(running().config)
    },
    backups,
    watchRequests,
    pages,
    async readHealth() {
      const { charges, refusals } = gauges.activity
      const [storeBytes, notices] = await Promise.all([gauges.bytes(), gauges.notices()])
      const kind = isPostgresUrl(running().config.db) ? "postgresql" : "sqlite"
      return {
        version,
        store: kind,
        startedMs,
        storeBytes,
        notices,
        charges,
        refusals,
        instances: instances(),
      }
    },
  }
}

/**
 * The parts that the admin API of a running service uses.
 * @param running returns the present configuration. Each operation asks once, when it begins.
 */
export function createAdminAccess(running: () => RunningConfig, options: AdminPartsOptions): AdminAccess {
  const { opened, clock, random, auditRandom = random } = options
  const { admin } = opened
  const signIn = createSignIn(admin, clock)
  return {
    administration: createAdministration(createAdminParts(running, options)),
    signIn,
    get plans() {
      return running().config.plans
    },
    // Signing in to the mock must not change the keys that it makes.
    sessions: createSessions({ admin, clock, random: auditRandom, signIn }),
  }
}
