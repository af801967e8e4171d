import { close, closeSync, fdatasync, openSync } from "node:fs"
import type { Timer } from "../../apis/contract.ts"
import type { OpenStore } from "../open-store.ts"
import { logFileOf } from "./gauges.ts"

/** The timer of flushes, and the way to flush a file. */
export interface FlushOptions {
  readonly timer: Timer
  /** Flushes an open file to the disk in the background. `done` gets the error of a flush that failed. */
  readonly sync?: (descriptor: number, done: (failure?: Error | null) => void) => void
  /** Called when a flush failed, so that nothing more is charged. */
  readonly onFailed: (cause: Error) => void
}

/** The time from a commit to its flush. With `synchronous = NORMAL` a power cut loses commits that were not flushed. */
const flushDelayMs = 100

type Stores = Pick<OpenStore, "store" | "admin">

/**
 * Flushes a store's write-ahead log in the background after charges and changes of the administration. SQLite does so only at a
 * checkpoint, which blocks all calls. A failure is told here: the system may report it to one flush only (fsync(2)).
 */
export function withLogFlush(
  stores: Stores,
  file: string,
  { timer, sync = fdatasync, onFailed }: FlushOptions,
): Stores {
  if (file === ":memory:") return stores
  const { store, admin } = stores
  const logFile = logFileOf(file)
  let log: number | null = null
  let cancelFlush: (() => void) | null = null
  let isFlushing = false
  let isDirty = false
  let isClosed = false

  function schedule(): void {
    isDirty = true
    if (!isFlushing && !isClosed) cancelFlush ??= timer.after(flushDelayMs, flush)
  }

  function flush(): void {
    cancelFlush = null
    try {
      // Closing this descriptor releases no lock of SQLite's: those are on the data file and the shared memory (fcntl(2)).
      log ??= openSync(logFile, "r+")
    } catch {
      // SQLite itself reports a log that was removed.
      return
    }
    const flushed = log
    isFlushing = true
    isDirty = false
    sync(flushed, (failure) => {
      isFlushing = false
      if (failure) onFailed(failure)
      if (isClosed) close(flushed)
      else if (isDirty) schedule()
    })
  }

  const flushedStore: Stores["store"] = {
    ...store,
    async charge(charges, onDecided) {
      const outcomes = await store.charge(charges, onDecided)
      schedule()
      return outcomes
    },
    close() {
      cancelFlush?.()
      if (!isClosed && !isFlushing && log !== null) closeSync(log)
      isClosed = true
      return store.close()
    },
  }
  const flushedAdmin: Stores["admin"] = {
    ...admin,
    async apply(change) {
      const outcome = await admin.apply(change)
      if (outcome === "applied") schedule()
      return outcome
    },
  }
  return { store: flushedStore, admin: flushedAdmin }
}
