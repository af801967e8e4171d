/**
 * The reads and writes of the check for events that come with time: keys that expire soon, months that begin. Several processes
 * may look at the same time.
 */
export interface TimedEvents {
  /** The time up to which events were checked; null before the first check. */
  lookedUntilMs(): Promise<number | null>
  keepLookedUntilMs(ms: number): Promise<void>
  /** Keys that are not revoked and expire after `afterMs` and not after `untilMs`, sorted by expiry and id. */
  keysExpiring(window: TimeWindow, page: EventPage): Promise<readonly ExpiringKey[]>
  /**
   * Accounts that have chosen any event and were created at a time of day (milliseconds since midnight, UTC) after `afterMs` and
   * not after `untilMs`, sorted by it and by id. The credit months of an account begin at its time of day.
   */
  accountsByTimeOfDay(window: TimeWindow, page: EventPage): Promise<readonly RenewingAccount[]>
  /** Raises notices. One whose id is there already is ignored. */
  raise(notices: readonly TimedNotice[]): Promise<void>
}

/** The time after `afterMs` up to and including `untilMs`. */
export interface TimeWindow {
  readonly afterMs: number
  readonly untilMs: number
}

/** A place in a list. `after` is the last row of the page before; null starts at the beginning. */
export interface EventPage {
  readonly limit: number
  readonly after: { readonly atMs: number; readonly id: string } | null
}

interface EventRow {
  readonly id: string
  /** Whether the account is open and gets the event. */
  readonly isWanted: boolean
  /** The rows are sorted by this time. */
  readonly atMs: number
}

/** A key that expires soon. */
export interface ExpiringKey extends EventRow {
  readonly accountId: string
  readonly name: string
  readonly prefix: string
  readonly createdMs: number
  readonly expiresMs: number
}

/** An account whose credit month begins at a time of day. */
export interface RenewingAccount extends EventRow {
  readonly plan: string
  readonly createdMs: number
  /** Start of the stored credit month. A month begins in the store with its first charge. */
  readonly periodStartMs: number
  readonly bonus: number
}

/** A notice of an event that comes with time. */
export interface TimedNotice {
  readonly id: string
  readonly accountId: string
  readonly type: string
  /** The `data` of the message, as JSON. */
  readonly data: string
  /** When the event happened. */
  readonly raisedMs: number
  readonly nowMs: number
  /** Start of the credit month that has begun; null for the stored one. */
  readonly periodStartMs: number | null
}

/** The types of events that come with time. */
export const keyExpiring = "key.expiring"
export const monthRenewed = "month.renewed"
