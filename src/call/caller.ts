import type { Plan } from "../accounts/plan.ts"
import type { RequestTrace } from "../ports/tracer.ts"
import type { ChargeItem, KeyAccess } from "../store/store.ts"

/** The key and account of a request. */
export type CallerIds = { readonly key: { readonly id: string }; readonly account: { readonly id: string } }

/** The key and account behind a request, and the account's plan. */
export interface Caller {
  readonly key: KeyAccess["key"]
  readonly account: KeyAccess["account"]
  readonly plan: Plan
  /** The store's revision at which key and account were read; see {@link KeyAccess.revision}. */
  readonly revision: number
  /** The hexadecimal SHA-256 of the key, to find the caller again. */
  readonly secretHash: string
  /** Whether the request came without a key, see {@link Guests}. */
  readonly isGuest?: boolean
  /** The network of a guest. */
  readonly network?: string
}

/** The facts of a request about its caller, on every surface. */
export interface CallerRequest {
  /** The API key as it was sent; null without one. */
  readonly key: string | null
  /** The hash of the key that the request stands for, where a session does so; `key` is then not looked at. */
  readonly secretHash?: string
  /** Whether the request names two different keys. */
  readonly hasTwoKeys: boolean
  /** Returns the client's IP address. The pipeline calls it only for a key that is bound to addresses, and for guests. */
  readonly address: () => string
  readonly requestId: string
  /** Whether the client's connection has ended, so that no answer can reach it. */
  readonly hasLeft: () => boolean
  /** Null or absent when it belongs to no trace. */
  readonly trace?: RequestTrace | null
}

/** The facts of a call for logs and metrics. None of them is part of the answer. */
export interface CallRecord {
  /**
   * Null if the caller was not identified. The owner of a known key that was refused, for example an expired one, is named too.
   */
  readonly caller: CallerIds | null
  /** The charges that were committed. */
  readonly charged: readonly ChargeItem[]
  /** The code of the fault that refused the whole call; null when it succeeded. */
  readonly fault: string | null
  /** The name of the parameter at fault. */
  readonly parameter?: string | null | undefined
}

/** The charges of a request that costs nothing. */
export const nothingCharged: readonly ChargeItem[] = []
