import { toStart } from "../values/time-text.ts"
import type { Page } from "./admin-store.ts"

/**
 * Calls and charges of each minute, of all processes together. Hours that are over for a day are folded: their minutes become one
 * row at the start of the hour. Every method may reject with StoreUnavailable.
 */
export interface History {
  /** Adds a batch to the tables, in one transaction. A batch that was added before is ignored. */
  add(batch: HistoryBatch): Promise<void>
  /** Folds at most `limit` rows of each table before a full hour, and returns how many there were. Each row is folded once. */
  fold(untilMs: number, limit: number): Promise<number>
  /**
   * Deletes at most `limit` rows of calls, and of faults, before a full hour, and returns how many there were. Charges by account
   * are deleted with `deleteCredits` of the store's Retention.
   */
  deleteBefore(ms: number, limit: number): Promise<number>
  /** Requests by time and API, sorted by both. */
  calls(query: CallsQuery): Promise<readonly CallsSum[]>
  /** Charges of all accounts together, sorted by time. */
  charges(query: ChargesQuery): Promise<readonly ChargesSum[]>
  /** Failed requests by fault and API, in any order. */
  faults(query: Omit<CallsQuery, "stepMs">): Promise<readonly FaultSum[]>
  /** Charges by account, sorted by account and time. */
  credits(query: CreditsQuery, page: Page): Promise<CreditsPage>
}

/** A part of the minutes of one process. */
export interface HistoryBatch {
  /** A name that no other process has. */
  readonly process: string
  /** Rises with each batch of the process. */
  readonly number: number
  readonly calls: readonly CallsRow[]
  readonly faults: readonly FaultRow[]
  readonly credits: readonly CreditsSum[]
}

/** Requests of one API in a time that begins with `atMs`. */
export interface CallsSum {
  readonly atMs: number
  /** The id of an API, or `several`, `usage` or `none`. */
  readonly api: string
  /** Requests, failed ones included. */
  readonly calls: number
  /** Requests that failed. */
  readonly errors: number
  /** Requests by duration, one number for each of {@link latencyColumns}. */
  readonly latency: readonly number[]
}

/** The calls of one API in a minute, with their charges. */
export interface CallsRow extends CallsSum {
  /** Successful calls that were charged; one request may hold many. */
  readonly charged: number
  readonly credits: number
}

/** Charges in a time that begins with `atMs`. */
export interface ChargesSum {
  readonly atMs: number
  /** Successful calls. */
  readonly calls: number
  readonly credits: number
}

/** Failed requests of one API with one fault. */
export interface FaultSum {
  readonly api: string
  /** The code of the fault. */
  readonly fault: string
  readonly calls: number
  readonly firstMs: number
  readonly lastMs: number
}

/** The requests that failed with one fault in a minute. */
export interface FaultRow extends FaultSum {
  readonly atMs: number
}

/** Charges of one account in a time that begins with `atMs`. */
export interface CreditsSum extends ChargesSum {
  readonly account: string
}

/** The time and the API of a query about calls. */
export interface CallsQuery {
  readonly fromMs: number
  /** Up to, but without this time. */
  readonly toMs: number
  /** Sums are made for each such part of time, counted from the Unix epoch. */
  readonly stepMs: number
  readonly api?: string | undefined
}

/** The time of a query about all charges. */
type ChargesQuery = Omit<CallsQuery, "api">

/** The time and the account of a query about charges by account. */
export interface CreditsQuery extends ChargesQuery {
  /** Only this account. */
  readonly account?: string | undefined
}

/** A page may have fewer sums than its limit, or none, and be followed. */
export interface CreditsPage {
  readonly sums: readonly CreditsSum[]
  /** Where the next page begins after; null at the end. */
  readonly next: readonly [account: string, atMs: number] | null
}

/** An hour in milliseconds. */
export const hourMs = 3_600_000

/** The start of the first hour whose minutes are kept one by one, at least a day ago: later minutes are not rolled up yet. */
export function minutesSince(nowMs: number): number {
  return toStart(nowMs - 25 * hourMs, hourMs)
}

/** One column for each class of durations: up to a number of milliseconds, and for longer ones. */
export const latencyColumns: readonly string[] =
  "ms_0_5 ms_1 ms_2_5 ms_5 ms_10 ms_25 ms_50 ms_100 ms_250 ms_500 ms_1000 ms_2500 ms_5000 ms_10000 ms_more".split(
    " ",
  )
