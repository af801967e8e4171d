import type { ChargeItem } from "../store/store.ts"
import type { Caller } from "./caller.ts"

/** What logs and metrics keep of a call. None of it is part of the answer. */
export interface CallRecord {
  /** Null when the caller never became known. */
  readonly caller: Caller | null
  /** What was charged and committed. */
  readonly charged: readonly ChargeItem[]
  /** The code of the fault that refused the whole call; null when it succeeded. */
  readonly fault: string | null
}

export const nothingCharged: readonly ChargeItem[] = []
