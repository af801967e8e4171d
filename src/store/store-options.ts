import type { Ports, Timer } from "../apis/contract.ts"
import type { AdminStore } from "./admin-reads.ts"
import type { History } from "./history.ts"
import type { KeptRequests } from "./kept-requests.ts"
import type { MailOutbox } from "./mails.ts"
import type { NoticeRecord, NoticeRules, Outbox } from "./outbox.ts"
import type { prepareCounts } from "./outbox-reads.ts"
import type { Retention } from "./retention.ts"
import type { Store } from "./store.ts"
import type { TimedEvents } from "./timed-events.ts"

/** An open database. `store.close()` closes it for all. */
export interface OpenStore {
  readonly store: Store
  readonly admin: AdminStore
  readonly outbox: Outbox
  readonly mails: MailOutbox
  readonly timedEvents: TimedEvents
  readonly history: History
  readonly requests: KeptRequests
  readonly retention: Retention
  readonly gauges: StoreGauges
  /**
   * Messages between the processes that work on one database; null for a data file, and for a store that no server has opened.
   */
  readonly instances: InstanceChannel | null
  /** Begins to tell a server of changes. Nothing is told before: call it once all that the listeners use is there. */
  listen(listeners: StoreListeners): void
  /** Whether the file did not exist before, or the database had no tables. */
  readonly isNew: boolean
}

/** Functions that a store calls when something has changed. They must not throw. */
export interface StoreListeners {
  /**
   * Called when a notice or a mail was raised.
   * @param notices those that this process has raised; mails, and notices of other processes, are only in the outbox
   */
  onRaised(notices: readonly NoticeRecord[]): void
  /** Called with each message of {@link InstanceChannel.send}. */
  onMessage(text: string): void
  /** Called when messages begin to arrive, also after a break. */
  onConnected(): void
}

/** Messages between processes. One may be lost; none is kept for a process that begins later. */
export interface InstanceChannel {
  /** An id of this process. */
  readonly id: string
  /** Sends up to 7,999 bytes to all, this process included. Rejects when the database does not answer. */
  send(text: string): Promise<void>
}

/** The options that all kinds of stores have. */
export interface StoreOptions {
  readonly timer: Timer
  /** Without rules, charges raise no notices. */
  readonly notices?: NoticeRules
  /** Keeps the newest of so many requests alone. For a store in memory, whose clock may stand still. */
  readonly mostRequests?: number
  /** For a server, which keeps the store open for long. It keeps `restore` away, and notices when its file is gone. */
  readonly serving?: ServingOptions
}

/** The options of a store that may be a file or a database on a server. */
export interface AnyStoreOptions extends StoreOptions, Pick<Ports, "clock" | "random"> {
  /** Gets warnings for the operator, such as clocks that differ. */
  readonly log?: { warn(message: string, fields: Readonly<Record<string, unknown>>): void }
  /** Refuses to make a data file. A database on a server exists already. */
  readonly mustExist?: boolean
  /** The login at a database whose URL has none. */
  readonly login?: StoreLogin
  /**
   * How long a call waits for each step that needs a database on a server; 500 by default. Connecting may take twice as long, and
   * work that is not part of a call ten times. Milliseconds.
   */
  readonly limitMs?: number
  /**
   * Charges are refused while the clock is further than this from that of a database on a server; 60,000 by default.
   * Milliseconds.
   */
  readonly maxSkewMs?: number
}

/** The login at a database on a server. */
export interface StoreLogin {
  readonly user?: string | undefined
  readonly password?: string | undefined
}

/** The options of a store that a server keeps open. */
export interface ServingOptions {
  /**
   * Called when the file is deleted or replaced, with what to do; called with null when it is back. Until then the store refuses.
   */
  onChange(problem: string | null): void
  /** Called a second after a flush failed: ends the process without closing the store, so that another one opens it anew. */
  readonly onUnflushed?: (() => void) | undefined
}

/** The options of a store that a move opens. */
export type MoveOptions = Pick<AnyStoreOptions, "timer" | "clock" | "login">

/** Measurements of a store, for metrics. Reading them takes no lock. */
export interface StoreGauges extends ReturnType<typeof prepareCounts> {
  readonly activity: Readonly<StoreActivity>
  /** Seconds since the keys in memory were last known to be as in the database. 0 where the store knows of each change. */
  cacheAgeSeconds(): number
  /** Sizes in bytes: of the data file and of its write-ahead log, or of a store in memory or of a database. */
  bytes(): Promise<Readonly<Record<string, number>>>
}

/** The work of a store since the process started, for metrics. The numbers only rise. */
export type StoreActivity = ReturnType<typeof createActivity>

/** The activity of a store that has just been opened. */
export function createActivity() {
  return {
    /** Transactions or statements that charged. */
    batches: 0,
    /** Charges in them. */
    charges: 0,
    /** Charges that were refused, because credits were used up or the account was closed. */
    refusals: 0,
    /** Seconds that charges waited for their turn to be sent, added up. Databases on a server only. */
    waitSeconds: 0,
    /** Seconds from sending a batch to its answer, added up. Databases on a server only. */
    roundTripSeconds: 0,
  }
}
