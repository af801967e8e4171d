import type { Database } from "bun:sqlite"
import { isBusy, toStoreFault } from "./open.ts"

/** A write that found the lock taken is tried so often again, with a pause between in which everything else goes on. */
const retries = 10
const pauseMs = 25

/**
 * Runs writes, each a transaction of its own, on a database that other processes write to as well. The result is there
 * as soon as the lock is.
 * @throws {import("../store.ts").StoreUnavailable} what SQLite cannot do now, or when a stranger kept the lock for about
 *   half a second
 */
export type Write = <T>(operation: () => T) => Promise<T>

interface Waiting {
  /** Gives false when the lock is still taken. */
  readonly attempt: () => boolean
  readonly giveUp: (cause: unknown) => void
  retriesLeft: number
}

/**
 * Makes the way to write for one connection. SQLite itself waits for a lock by stopping the whole process, so it is left to
 * wait only for as long as processes of our own need; a stranger's lock is waited for here, without holding up what
 * needs no lock. While one write waits, all later ones queue behind it: each on its own would stop the process anew.
 */
export function createWrite(database: Database): Write {
  const queue: Waiting[] = []
  let locked: unknown

  function retry(): void {
    while (queue[0]?.attempt()) queue.shift()
    for (const waiting of queue) waiting.retriesLeft--
    while (queue[0] && queue[0].retriesLeft <= 0) queue.shift()?.giveUp(locked)
    if (queue.length > 0) setTimeout(retry, pauseMs)
  }

  return (operation) =>
    new Promise((resolve, reject) => {
      const waiting: Waiting = {
        attempt() {
          try {
            resolve(operation())
          } catch (cause) {
            if (isBusy(cause)) {
              locked = cause
              return false
            }
            reject(toStoreFault(cause, database))
          }
          return true
        },
        giveUp: (cause) => reject(toStoreFault(cause, database)),
        retriesLeft: retries,
      }
      if (queue.length === 0 && waiting.attempt()) return
      if (queue.push(waiting) === 1) setTimeout(retry, pauseMs)
    })
}
