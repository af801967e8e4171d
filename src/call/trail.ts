import type { ChargeItem } from "../store/store.ts"
import type { RefusalCode } from "../surfaces/graphql/refusal.ts"
import type { Caller } from "./caller.ts"
import type { FaultCode } from "./fault.ts"

/** What a call leaves behind for logs and metrics. None of it is part of the answer. */
export interface Trail {
  /** Null where it never became known. */
  readonly caller: Caller | null
  /** What was charged and committed. */
  readonly charged: readonly ChargeItem[]
  /** What was wrong with the call as a whole. */
  readonly fault: FaultCode | RefusalCode | null
}

export const nothingCharged: readonly ChargeItem[] = []
