import type { Database } from "bun:sqlite"
import { LRUCache } from "lru-cache"
import type { Timer } from "../../apis/contract.ts"
import type { KeyAccess } from "../store.ts"

/** About 0.5 kB each. A call whose key is read anew costs the database three times as much. */
const maxEntries = 131_072

/** The keys in the memory of this process. */
export type AccessCache = ReturnType<typeof createAccessCache>

/**
 * Once per event-loop turn, asks SQLite whether another connection has committed anything (`PRAGMA data_version`, a counter
 * in memory), then whether `revision` has changed, which each administrative change raises. A request sent after a
 * revocation was committed is read in a later turn. Unknown hashes are not kept, so that guesses do not fill the memory.
 */
export function createAccessCache(
  database: Database,
  timer: Timer,
  load: (secretHash: string, revision: number) => KeyAccess | null,
) {
  const dataVersion = database.query<{ data_version: number }, []>("PRAGMA data_version")
  const readRevision = database.query<{ value: number }, []>("SELECT value FROM meta WHERE name = 'revision'")
  // `max` would allocate for all entries at the start, which takes 3 to 6 ms.
  const entries = new LRUCache<string, KeyAccess>({ maxSize: maxEntries, sizeCalculation: () => 1 })
  let version = -1
  let revision = -1
  let checkedThisTurn = false

  function dropOutdated(): void {
    if (checkedThisTurn) return
    const currentVersion = dataVersion.get()?.data_version ?? -1
    if (currentVersion !== version) {
      const currentRevision = readRevision.get()?.value ?? -1
      if (currentRevision !== revision) entries.clear()
      revision = currentRevision
      version = currentVersion
    }
    checkedThisTurn = true
    void timer.turn().then(() => {
      checkedThisTurn = false
    })
  }

  return {
    /** A key's record, from memory or from `load`. Never older than the last committed administrative change. */
    find(secretHash: string): KeyAccess | null {
      dropOutdated()
      const kept = entries.get(secretHash)
      if (kept) return kept
      const access = load(secretHash, revision)
      if (access) entries.set(secretHash, access)
      return access
    },
    /** To be called after an administrative change through this connection. */
    clear(): void {
      entries.clear()
      version = -1
      checkedThisTurn = false
    },
  }
}
