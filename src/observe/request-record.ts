import type { CallRecord } from "../call/caller.ts"
import type { RequestTrace } from "../ports/tracer.ts"

/** A request as it arrives. */
export interface RequestStart {
  readonly requestId: string
  /** Whether the id was made here: a prefix, a dot and a count in base 36. */
  readonly hasOwnId?: boolean
  /** Returns the client's IP address as text. */
  readonly address: () => string
  /** Milliseconds, read from `Observer.nowMs`. */
  readonly startedMs: number
  /** Null or absent when it belongs to no trace. */
  readonly trace?: RequestTrace | null
}

/** A request when its answer is made. */
export interface RequestEnd extends Partial<CallRecord> {
  /** The HTTP status. */
  readonly status: number
  /** The ids of all APIs that a GraphQL query asked, each once. */
  readonly apis?: readonly string[]
  /** Whether it was a call that was answered again under its Idempotency-Key, and not charged. */
  readonly isReplay?: boolean | undefined
  /** The actor of an operation of the administration: `admin-key:ID`. */
  readonly actor?: string
}

/** Counts and logs one finished request. */
export type RecordRequest = (start: RequestStart, end: RequestEnd) => void

/** The credits that a request was charged. */
export function creditsOf({ charged }: RequestEnd): number {
  let sum = 0
  if (charged) for (const { credits } of charged) sum += credits
  return sum
}
