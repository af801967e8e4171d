import type { ChargeItem } from "../store/store.ts"
import type { CallerIds } from "./caller.ts"

/** What logs and metrics keep of a call. None of it is part of the answer. */
export interface CallRecord {
  /** Null when the caller never became known. Known also where the key was refused because it had expired or was revoked. */
  readonly caller: CallerIds | null
  /** What was charged and committed. */
  readonly charged: readonly ChargeItem[]
  /** The code of the fault that refused the whole call; null when it succeeded. */
  readonly fault: string | null
}

export const nothingCharged: readonly ChargeItem[] = []
