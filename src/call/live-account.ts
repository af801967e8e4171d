import { LRUCache } from "lru-cache"
import { type Balance, balanceOf, type Period } from "../accounts/credits.ts"
import type { KeyAccess } from "../store/store.ts"
import type { Caller } from "./caller.ts"

/** An account as this process knows it: the last answer of the database, and the credits that calls in progress hold. */
export interface LiveAccount {
  readonly id: string
  /** The newest revision of the store's administration that is included here. */
  revision: number
  createdMs: number
  periodStartMs: number
  used: number
  bonus: number
  /** Credits held by calls in progress. */
  heldCredits: number
  /** The credit month that was computed last. */
  period: Period | null
  /** Start of the future month that was logged. */
  reportedMs: number | null
  /** Start of the month for which the store was told that a call found all credits used up. */
  exhaustedMs: number | null
  /** The calls with an Idempotency-Key in progress: the hash of the input by that of the key. Null before the first. */
  idempotentUnderWay: Map<string, string> | null
}

/** Finds the account of a caller. */
export type FindLiveAccount = (caller: Caller) => LiveAccount

/** About 200 bytes each. As many as the store keeps of keys and ledger rows, or each call would make one anew. */
const maxLiveAccounts = 131_072

interface LiveAccounts {
  get(id: string): LiveAccount | undefined
  set(id: string, live: LiveAccount): unknown
}

/** Keeps the live accounts of the accounts that called last, and of those with calls in progress. */
function keepLast(): LiveAccounts {
  /** Live accounts that were evicted while a call held credits. */
  const evicted = new Map<string, LiveAccount>()
  const liveAccounts = new LRUCache<string, LiveAccount>({
    // `max` would allocate for all of them at the start, which takes 3 to 6 ms.
    maxSize: maxLiveAccounts,
    sizeCalculation: () => 1,
    dispose(live, id, reason) {
      if (reason !== "evict" || live.heldCredits === 0) return
      for (const [other, { heldCredits }] of evicted) if (heldCredits === 0) evicted.delete(other)
      evicted.set(id, live)
    },
  })
  return { get: (id) => liveAccounts.get(id) ?? evicted.get(id), set: liveAccounts.set.bind(liveAccounts) }
}

/** Returns the function that finds the account of a caller, one for all its keys. They are kept in what is given. */
export function createLiveAccounts(liveAccounts: LiveAccounts = keepLast()): FindLiveAccount {
  return ({ account, revision }) => {
    const known = liveAccounts.get(account.id)
    if (!known) {
      const { id, createdMs, periodStartMs, used, bonus } = account
      const stored = { id, revision, createdMs, periodStartMs, used, bonus }
      const live = {
        ...stored,
        heldCredits: 0,
        period: null,
        reportedMs: null,
        exhaustedMs: null,
        idempotentUnderWay: null,
      }
      liveAccounts.set(id, live)
      return live
    }
    // An administrator changed something before this key was read.
    if (known.revision < revision) {
      known.revision = revision
      refresh(known, account)
    }
    return known
  }
}

/** Takes over the stored balance. Calls in progress keep the credits that they hold. */
export function refresh(
  live: LiveAccount,
  { createdMs, periodStartMs, used, bonus }: Omit<KeyAccess["account"], "id" | "plan" | "closedMs">,
): void {
  live.createdMs = createdMs
  live.periodStartMs = periodStartMs
  live.used = used
  live.bonus = bonus
}

/** The balance under a caller's plan, as this process knows it. */
export function balanceAt(live: LiveAccount, { plan }: Caller, nowMs: number): Balance {
  const balance = balanceOf(live, plan, nowMs, live.period)
  // Set only when it differs: an object that lives long and is changed costs garbage collection, see the ledger's day of usage.
  if (live.period !== balance.period) live.period = balance.period
  return balance
}
