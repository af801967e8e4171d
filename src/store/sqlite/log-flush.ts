import { close, closeSync, fdatasync, openSync, realpathSync } from "node:fs"
import type { Store } from "../store.ts"

export interface FlushOptions {
  /** Calls `run` after `delayMs`. */
  readonly timer: { after(delayMs: number, run: () => void): unknown }
  /** Brings an open file to the disk without holding up anyone. */
  readonly sync?: (descriptor: number, done: () => void) => void
}

/** After a commit. With `synchronous = NORMAL`, what was committed since is what a power cut may take. */
const delayMs = 100

/**
 * Brings a store's write-ahead log to the disk beside everything else that goes on. SQLite itself waits for the disk only at a
 * checkpoint, and then for all that was written since the last one, while every call waits too. What goes wrong here is not
 * lost: the system tells it to SQLite as well when that waits for the disk (fsync(2)).
 * @param store on the data file `file`; `:memory:` has no log
 */
export function flushLogOf(store: Store, file: string, { timer, sync = fdatasync }: FlushOptions): Store {
  if (file === ":memory:") return store
  // Where a link leads to the data file, SQLite keeps the log beside the file itself.
  const logFile = `${realpathSync(file)}-wal`
  let log: number | null = null
  let isPending = false
  let isClosed = false

  function soon(): void {
    if (isPending) return
    isPending = true
    timer.after(delayMs, flush)
  }

  function flush(): void {
    if (isClosed) {
      if (log !== null) closeSync(log)
      return
    }
    try {
      // Closing it gives up no lock of SQLite's: those are on the data file and on its shared memory (fcntl(2)).
      log ??= openSync(logFile, "r+")
    } catch {
      // Whoever takes the log away from under a server hears of it from SQLite.
      isPending = false
      return
    }
    const flushed = log
    sync(flushed, () => {
      isPending = false
      if (isClosed) close(flushed)
    })
  }

  return {
    ...store,
    async charge(charges) {
      const outcomes = await store.charge(charges)
      soon()
      return outcomes
    },
    close() {
      if (isClosed) return store.close()
      isClosed = true
      if (log !== null && !isPending) closeSync(log)
      return store.close()
    },
  }
}
