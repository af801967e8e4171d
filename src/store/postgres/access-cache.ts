import { LRUCache } from "lru-cache"
import type { Clock } from "../../apis/contract.ts"
import type { KeyAccess } from "../store.ts"

/** About 1 kB each. */
const maxEntries = 150_000
/**
 * Notifications may be lost, so nothing is believed for longer than this after it was read or confirmed. Charges are exact in any
 * case, by the account's revision.
 */
const maxAgeMs = 5_000

/** The keys in the memory of this process. */
export type AccessCache = ReturnType<typeof createAccessCache>

interface Entry {
  readonly access: KeyAccess
  /** Monotonic, before the question was sent. */
  readonly askedMs: number
}

/** Keeps the keys that calls have used. `load` reads one from the database; null for an unknown hash. */
export function createAccessCache(
  { monotonicMs }: Pick<Clock, "monotonicMs">,
  load: (secretHash: string) => Promise<KeyAccess | null>,
) {
  // `max` would allocate for all entries at the start, which takes 3 to 6 ms.
  const entries = new LRUCache<string, Entry>({ maxSize: maxEntries, sizeCalculation: () => 1 })
  const forgottenMs = new LRUCache<string, number>({
    maxSize: maxEntries,
    sizeCalculation: () => 1,
    // Without the time of one change, no key that was read before it is known to be as it was.
    dispose(ms, _accountId, reason) {
      if (reason === "evict") clearedMs = Math.max(clearedMs, ms)
    },
  })
  const loading = new Map<string, Promise<KeyAccess | null>>()
  let clearedMs = Number.NEGATIVE_INFINITY
  let confirmedMs = Number.NEGATIVE_INFINITY

  function isValid({ access, askedMs }: Entry): boolean {
    const changedMs = forgottenMs.get(access.account.id) ?? Number.NEGATIVE_INFINITY
    return (
      askedMs > Math.max(clearedMs, changedMs) && monotonicMs() - Math.max(askedMs, confirmedMs) < maxAgeMs
    )
  }

  async function read(secretHash: string): Promise<KeyAccess | null> {
    const askedMs = monotonicMs()
    const access = await load(secretHash)
    if (access) entries.set(secretHash, { access, askedMs })
    else entries.delete(secretHash)
    return access
  }

  return {
    /** A key's record: at once when it is known, and otherwise from `load`. Unknown hashes are not kept. */
    find(secretHash: string): KeyAccess | null | Promise<KeyAccess | null> {
      const entry = entries.get(secretHash)
      if (entry && isValid(entry)) return entry.access
      const known = loading.get(secretHash)
      if (known) return known
      const asked = read(secretHash).finally(() => loading.delete(secretHash))
      loading.set(secretHash, asked)
      return asked
    },
    /** Forgets the keys of an account. */
    forget(accountId: string): void {
      forgottenMs.set(accountId, monotonicMs())
      loading.clear()
    },
    clear(): void {
      clearedMs = monotonicMs()
      loading.clear()
    },
    /** Takes note that all changes before a time, by the monotonic clock, were told: what is kept is as it was then. */
    confirm(ms: number): void {
      confirmedMs = ms
    },
    /** Milliseconds since what is kept was last confirmed; 0 if nothing is kept. */
    ageMs: () => (entries.size === 0 ? 0 : Math.min(maxAgeMs, monotonicMs() - confirmedMs)),
  }
}
