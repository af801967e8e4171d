import type { Database } from "bun:sqlite"
import type { KeyAccess } from "../store.ts"

/** Keys kept at most; beyond that the one read longest ago goes. About 1 kB each. */
const maxEntries = 50_000

export interface AccessCache {
  /** What `load` says, from memory while no administrator has changed anything, in whatever process. */
  find(secretHash: string): KeyAccess | null
  /** To be called when this connection itself has changed a key or an account. */
  clear(): void
}

/**
 * Keeps looked-up keys in memory without ever serving a stale one. Administration raises `revision` in the store in the
 * same transaction as its change. Whether another connection has committed anything at all is a counter that SQLite
 * keeps in memory (`PRAGMA data_version`); only when it has moved is the revision read, and only when that has moved is
 * the cache emptied. This is asked once per turn of the event loop: a request that was sent after a revocation was
 * committed is read in a later turn.
 *
 * Unknown hashes are not kept, so that guessing does not fill the memory.
 */
export function createAccessCache(
  database: Database,
  load: (secretHash: string, revision: number) => KeyAccess | null,
): AccessCache {
  const dataVersion = database.query<{ data_version: number }, []>("PRAGMA data_version")
  const revisionOf = database.query<{ value: number }, []>("SELECT value FROM meta WHERE name = 'revision'")
  const entries = new Map<string, KeyAccess>()
  let version = -1
  let revision = -1
  let checkedThisTurn = false

  function dropStale(): void {
    if (checkedThisTurn) return
    const seen = dataVersion.get()?.data_version ?? -1
    if (seen !== version) {
      const current = revisionOf.get()?.value ?? -1
      if (current !== revision) entries.clear()
      revision = current
      version = seen
    }
    checkedThisTurn = true
    setImmediate(() => {
      checkedThisTurn = false
    })
  }

  return {
    find(secretHash) {
      dropStale()
      const known = entries.get(secretHash)
      if (known) return known
      const access = load(secretHash, revision)
      if (access) {
        if (entries.size >= maxEntries) entries.delete(entries.keys().next().value ?? "")
        entries.set(secretHash, access)
      }
      return access
    },
    clear() {
      entries.clear()
      version = -1
      checkedThisTurn = false
    },
  }
}
