import { LRUCache } from "lru-cache"
import { type Balance, balanceOf, type Period } from "../accounts/credits.ts"
import type { KeyAccess } from "../store/store.ts"
import type { Caller } from "./caller.ts"

/** An account as this process knows it: the last answer of the database, and the credits that calls in progress hold. */
export interface AccountSnapshot {
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

/** Finds the snapshot of a caller's account. */
export type FindSnapshot = (caller: Caller) => AccountSnapshot

/** About 200 bytes each. As many as the store keeps of keys and ledger rows, or each call would make one anew. */
const maxSnapshots = 131_072

interface Snapshots {
  get(id: string): AccountSnapshot | undefined
  set(id: string, snapshot: AccountSnapshot): unknown
}

/** Keeps the snapshots of the accounts that called last, and of those with calls in progress. */
function keepLast(): Snapshots {
  /** Snapshots that were evicted while a call held credits. */
  const evicted = new Map<string, AccountSnapshot>()
  const snapshots = new LRUCache<string, AccountSnapshot>({
    // `max` would allocate for all of them at the start, which takes 3 to 6 ms.
    maxSize: maxSnapshots,
    sizeCalculation: () => 1,
    dispose(snapshot, id, reason) {
      if (reason !== "evict" || snapshot.heldCredits === 0) return
      for (const [other, { heldCredits }] of evicted) if (heldCredits === 0) evicted.delete(other)
      evicted.set(id, snapshot)
    },
  })
  return { get: (id) => snapshots.get(id) ?? evicted.get(id), set: snapshots.set.bind(snapshots) }
}

/** Returns the function that finds a caller's snapshot, one for all keys of an account. Snapshots are kept in what is given. */
export function createAccountSnapshots(snapshots: Snapshots = keepLast()): FindSnapshot {
  return ({ account, revision }) => {
    const known = snapshots.get(account.id)
    if (!known) {
      const { id, createdMs, periodStartMs, used, bonus } = account
      const stored = { id, revision, createdMs, periodStartMs, used, bonus }
      const snapshot = {
        ...stored,
        heldCredits: 0,
        period: null,
        reportedMs: null,
        exhaustedMs: null,
        idempotentUnderWay: null,
      }
      snapshots.set(id, snapshot)
      return snapshot
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
  snapshot: AccountSnapshot,
  { createdMs, periodStartMs, used, bonus }: Omit<KeyAccess["account"], "id" | "plan" | "closedMs">,
): void {
  snapshot.createdMs = createdMs
  snapshot.periodStartMs = periodStartMs
  snapshot.used = used
  snapshot.bonus = bonus
}

/** The balance under a caller's plan, as this process knows it. */
export function balanceAt(snapshot: AccountSnapshot, { plan }: Caller, nowMs: number): Balance {
  const balance = balanceOf(snapshot, plan, nowMs, snapshot.period)
  // Set only when it differs: an object that lives long and is changed costs garbage collection, see the ledger's day of usage.
  if (snapshot.period !== balance.period) snapshot.period = balance.period
  return balance
}
