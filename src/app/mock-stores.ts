import { openDatabase } from "../store/sqlite/database-file.ts"
import type { OpenStore, StoreListeners } from "../store/store-options.ts"
import { standIn } from "../values/stand-in.ts"

type Database = ReturnType<typeof openDatabase>

/** The most open stores. One takes about 0.4 MB. */
export const mostOpen = 16

/**
 * Makes stores in memory that begin with the same content. Only those that were used last are open. Of others the difference to
 * that content is kept, compressed to about 1 kB, and their next use opens them again.
 * @param shape a store, which is not used otherwise and may be closed
 * @param image the content at the start, a serialized database
 */
export function createMockStores(shape: OpenStore, image: Uint8Array) {
  /** The open stores. That which was used longest ago is the first. */
  const open = new Set<{ readonly isInUse: () => boolean; readonly putAway: () => void }>()

  /** @param openWith opens a store, which keeps only caches, listeners and counts outside of the database */
  return (openWith: (database: Database) => OpenStore): OpenStore => {
    let present: { readonly database: Database; readonly opened: OpenStore } | null = null
    let kept: Uint8Array | null = null
    let listeners: StoreListeners | null = null
    let activity = {}
    let uses = 0
    let isClosed = false
    const self = { isInUse: () => uses > 0, putAway }

    function reopen() {
      if (isClosed)
        throw new Error("The store was closed: its test double was reset, or its session has ended.")
      for (const one of open) if (open.size >= mostOpen && !one.isInUse()) one.putAway()
      const database = openDatabase(":memory:", {
        image: kept ? differ(Bun.zstdDecompressSync(kept), image) : image,
      })
      const opened = openWith(database)
      activity = Object.assign(opened.gauges.activity, activity)
      if (listeners) opened.listen(listeners)
      return { database, opened }
    }

    function putAway(): void {
      if (present) kept = Bun.zstdCompressSync(differ(present.database.serialize(), image))
      present?.database.close()
      present = null
      open.delete(self)
    }

    function use<R>(work: (store: object) => R): R {
      present ??= reopen()
      open.delete(self)
      open.add(self)
      const result = work(present.opened)
      if (result instanceof Promise) {
        uses++
        const release = () => void uses--
        result.then(release, release)
      }
      return result
    }

    const close = async () => {
      isClosed = true
      if (present) await present.opened.store.close()
      present = null
      open.delete(self)
    }
    const listen = (given: StoreListeners) => {
      listeners = given
      present?.opened.listen(given)
    }
    // Stand-ins of its parts are made when they are asked for, since most sessions use one.
    return standIn(shape, use, { ...{ instances: null, isNew: shape.isNew }, listen, store: { close } })
  }
}

/** Makes a database that is much like another one to bytes that are mostly 0, and such bytes to the database again. */
function differ(bytes: Uint8Array, other: Uint8Array): Uint8Array {
  for (let at = Math.min(bytes.length, other.length) - 1; at >= 0; at--)
    bytes[at] = (bytes[at] ?? 0) ^ (other[at] ?? 0)
  return bytes
}
