import type { Plans } from "../accounts/plan.ts"
import type { Clock, Random } from "../apis/contract.ts"
import type { AdminStore } from "../store/admin-reads.ts"
import type { History } from "../store/history.ts"
import type { KeptRequests } from "../store/kept-requests.ts"
import type { Outbox } from "../store/outbox.ts"
import type { RequestEvent, RequestFilter } from "../values/request-events.ts"
import type { Backups } from "./backups/backups.ts"
import type { ConfigControl, Setting } from "./config/config-control.ts"
import type { ServiceHealth } from "./health/service-health.ts"
import type { SignUpSettings } from "./sign-up/settings.ts"

/** The parts of the service that operations work with. */
export interface AdminParts {
  readonly admin: AdminStore
  readonly outbox: Pick<Outbox, "findWebhook">
  readonly history: Pick<History, "calls" | "charges" | "faults" | "credits">
  /** The requests of `--keep-requests`. A service without it says so instead. */
  readonly requests: Pick<KeptRequests, "find"> & { readonly isOn: boolean }
  readonly clock: Clock
  /** For keys and ids. */
  readonly random: Random
  /** For the ids of audit records. The mock has its own, so that its keys stay the same. */
  readonly auditRandom: Random
  readonly plans: Plans
  /** Whether plans may be missing only because a command was given no configuration file. */
  readonly mayLackPlans?: boolean
  /** Ids of the APIs with the credits of a call, to find mistyped ids and to show prices. */
  readonly prices: ReadonlyMap<string, number>
  /** Whether adjustments may take the bonus of an account below zero. */
  readonly mayOwe: boolean
  /** The ports that customers' webhooks may use besides the usual ones. */
  readonly webhookPorts: readonly number[]
  /** Describes the running configuration by the names of the configuration file, without secrets. */
  settings(): Readonly<Record<string, unknown>>
  /** The same as a list, without plans and prices. */
  settingList(): Setting[]
  readonly config: ConfigControl
  readonly backups: Backups
  /**
   * Begins to watch requests while they happen.
   * @param onReady is called when there are events to take
   * @returns null when there are too many watchers
   */
  watchRequests(
    filter: RequestFilter,
    onReady: () => void,
  ): Subscription<RequestEvent, TakenEvents<RequestEvent>> | null
  readonly pages: PageAddresses
  /** How customers get an account. */
  readonly signUp: SignUpSettings
  readHealth(): Promise<ServiceHealth>
}

/** Events, and how many more were dropped for lack of room. */
export interface TakenEvents<Event = unknown> {
  readonly events: readonly Event[]
  readonly lost: number
}

/** Events for one reader. End it when nobody reads them any more. */
export interface Subscription<Event = unknown, Taken = TakenEvents<Event> | Promise<TakenEvents<Event>>> {
  /** Returns the events since the last call. */
  take(): Taken
  /** Whether no more events come, since the service closes. */
  readonly isOver: boolean
  end(): void
}

/** Where browsers find the pages, as URLs without a path. */
export interface PageAddresses {
  /** Where customers reach the service, with or without a portal. */
  service(): string
  /** @throws AdminFault when the console is off */
  console(): string
  /** @throws AdminFault when the portal is off */
  portal(): string
}
