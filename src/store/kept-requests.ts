import type { Surface } from "../values/request-events.ts"
import type { Page } from "./admin-store.ts"
import type { PassStep } from "./retention.ts"

/** The requests of `--keep-requests`, a row each. Every method may reject with StoreUnavailable. */
export interface KeptRequests {
  /** Adds some hundreds of requests in one transaction. Requests that this process has added before are left as they are. */
  add(batch: RequestBatch): Promise<void>
  /** Requests, newest first. A page may have fewer than its limit, or none, and be followed: it ends when much was looked at. */
  find(filter: RequestFilter, page: Page): Promise<RequestPage>
  /** Deletes at most so many requests that ended before a time, the oldest first. It always begins at the start. */
  deleteBefore(ms: number, limit: number): Promise<PassStep>
}

/** Requests that ended within a second or two, in the order of their ends. */
interface RequestBatch {
  /** A name that no other process has. */
  readonly process: string
  readonly requests: readonly NewRequest[]
}

/** A finished request as it is kept. It has no path, input, query, answer or text of a key. */
export interface KeptRequest {
  /** When the answer was made. */
  readonly atMs: number
  readonly requestId: string
  readonly surface: Surface
  /** The ids of all APIs that were called, with commas between them; `none` without one. */
  readonly api: string
  readonly status: number
  readonly fault: string | null
  /** The name of the parameter to change. */
  readonly parameter: string | null
  readonly account: string | null
  readonly key: string | null
  readonly credits: number
  /** Whether it was a call that was answered again under its Idempotency-Key, and not charged. */
  readonly isReplay: boolean
  /** Milliseconds until the answer was made. */
  readonly ms: number
  /** Null unless the operator wants addresses. */
  readonly address: string | null
}

/** A request that is not kept yet. */
export interface NewRequest extends Omit<KeptRequest, "atMs"> {
  /** Its {@link firstRowAt} and a count within that millisecond. No two requests of a process have the same. */
  readonly row: number
  /** The parts of an id that was made here; null for any other. */
  readonly ownId: OwnId | null
}

/** The parts of a request id that this program has made: a prefix, a dot and a count in base 36. */
interface OwnId {
  readonly prefix: string
  readonly count: number
}

/** The requests that a search finds; all conditions hold. */
export interface RequestFilter {
  readonly account?: string | undefined
  readonly key?: string | undefined
  readonly api?: string | undefined
  /** A status such as `404`, or a class such as `4xx`. */
  readonly status?: string | undefined
  readonly fault?: string | undefined
  readonly requestId?: string | undefined
  readonly fromMs?: number | undefined
  /** Up to, but without this time. */
  readonly toMs?: number | undefined
}

/** A part of the requests of a search. */
export interface RequestPage {
  readonly requests: readonly KeptRequest[]
  /** Where the next page begins after; null at the end. */
  readonly next: Place | null
}

/** The row of a request, and the number of its process: PostgreSQL may have rows of two processes with the same number. */
type Place = readonly [row: number, process: number]

/** Numbers of rows for a millisecond. Rows of later ones need more than 53 bits in September 2039. */
const rowsPerMs = 4_096

/** The first number of a row for a request that ended at a time. */
export function firstRowAt(ms: number): number {
  return ms * rowsPerMs
}

/** The end of a request by the number of its row. */
export function timeOfRow(row: number): number {
  return Math.floor(row / rowsPerMs)
}

/** The parts of a request id that looks as if this program had made it; null for any other. */
export function splitRequestId(id: string): OwnId | null {
  const dot = id.lastIndexOf(".")
  const count = Number.parseInt(id.slice(dot + 1), 36)
  const isOwn = dot > 0 && Number.isSafeInteger(count) && id === `${id.slice(0, dot)}.${count.toString(36)}`
  return isOwn ? { prefix: id.slice(0, dot), count } : null
}
