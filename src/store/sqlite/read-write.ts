import type { Database } from "bun:sqlite"
import type { Timer } from "../../apis/contract.ts"
import { noCheckpoints } from "./checkpoints.ts"
import { isBusy, isFailedFlush, toStoreError } from "./errors.ts"
import { noWatch } from "./file-watch.ts"

/** Makes a function that runs reads of one database. Errors from outside this program become {@link StoreUnavailable}. */
export function createRead(database: Database, watch = noWatch): <T>(operation: () => T) => T {
  return (operation) => {
    try {
      watch.require()
      return operation()
    } catch (cause) {
      throw toStoreError(cause, database)
    }
  }
}

const maxRetries = 10
const retryDelayMs = 25

/**
 * Runs an operation that writes. It runs before this returns, unless another process has the lock.
 * @throws StoreUnavailable when SQLite cannot do it now, or another process keeps the lock for about half a second
 */
export type Write = <T>(operation: () => T) => Promise<T>

interface WaitingWrite {
  /** False when the lock is still taken. */
  readonly attempt: () => boolean
  readonly giveUp: (cause: unknown) => void
  retriesLeft: number
}

/**
 * SQLite blocks the whole process while it waits for a lock, so longer waits happen here, while reads go on. Later writes
 * queue behind a waiting one, since each attempt blocks again.
 */
export function createWrite(
  database: Database,
  timer: Timer,
  watch = noWatch,
  checkpoints = noCheckpoints,
): Write {
  const queue: WaitingWrite[] = []
  let lastCause: unknown

  function retry(): void {
    while (queue[0]?.attempt()) queue.shift()
    for (const waiting of queue) waiting.retriesLeft--
    while (queue[0] && queue[0].retriesLeft <= 0) queue.shift()?.giveUp(lastCause)
    if (queue.length > 0) timer.after(retryDelayMs, retry)
  }

  function begin<T>(operation: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting: WaitingWrite = {
        attempt() {
          try {
            watch.require()
            resolve(operation())
          } catch (cause) {
            if (isBusy(cause)) {
              lastCause = cause
              return false
            }
            if (isFailedFlush(cause)) watch.failFlush(cause)
            reject(toStoreError(cause, database))
          }
          return true
        },
        giveUp: (cause) => reject(toStoreError(cause, database)),
        retriesLeft: maxRetries,
      }
      if (queue.length === 0 && waiting.attempt()) return
      if (queue.push(waiting) === 1) timer.after(retryDelayMs, retry)
    })
  }

  return (operation) => {
    checkpoints.look()
    const pause = checkpoints.pause()
    return pause === null ? begin(operation) : pause.then(() => begin(operation))
  }
}
