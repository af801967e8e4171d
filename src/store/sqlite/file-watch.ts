import type { Timer } from "../../apis/contract.ts"
import { messageOf } from "../../values/message-of.ts"
import { identityOf, realPathOf } from "../../values/real-path.ts"
import { StoreUnavailable } from "../store.ts"
import type { ServingOptions } from "../store-options.ts"

/** Calls must be refused within a second. A check takes some microseconds. */
const intervalMs = 500

/** After a flush that failed, callers and the log are told before the process ends. */
const endDelayMs = 1_000

/** For stores that are open for a moment only, or in memory. */
export const noWatch = {
  require() {},
  look() {},
  each(_: () => void) {},
  failFlush(_: unknown) {},
  async stop() {},
}

/**
 * Checks twice a second whether an open data file is still the one under its name, since SQLite goes on writing to a file
 * that was deleted or replaced: all charges would be lost.
 */
export function watchFile(file: string, timer: Timer, { onChange, onUnflushed }: ServingOptions) {
  const path = realPathOf(file)
  // By the name that was given, so that a symbolic link to another file is noticed too.
  const watched = [file, `${path}-wal`, `${path}-shm`].map((name) => ({ name, identity: identityOf(name) }))
  let problem: string | null = null
  /** Stays until the file is opened anew, by another process. */
  let failedFlush: string | null = null
  let cancel = timer.after(intervalMs, lookAgain)
  const ended = Promise.withResolvers<void>()
  let work = () => {}

  /** Checks now. */
  function look(): void {
    const found = findProblem()
    if (found === problem) return
    problem = found
    onChange(problem)
  }

  function findProblem(): string | null {
    if (failedFlush !== null) return failedFlush
    try {
      for (const { name, identity } of watched) {
        const now = identityOf(name)
        if (now === identity) continue
        if (name !== file) return lostLog(name)
        return now === null ? lost(name) : replaced(name)
      }
      return null
    } catch (cause) {
      return `The data file ${file} cannot be looked at: ${String(cause)}. Put it back.`
    }
  }

  function lookAgain(): void {
    look()
    work()
    cancel = timer.after(intervalMs, lookAgain)
  }

  return {
    /** @throws StoreUnavailable when the file was missing at the last check, or a flush failed */
    require(): void {
      if (problem !== null) throw new StoreUnavailable(problem)
    },
    look,
    /** Does some work, which must not throw, after each check by time. */
    each(given: () => void): void {
      work = given
    },
    /**
     * Refuses from now on. After a flush that failed, the system may have dropped what was written and report success the next
     * time (fsync(2), "fsyncgate"): nobody knows what is on the disk until the file is opened anew and its log checked. That
     * needs another process: closing the file here would empty the log, and trust that what was copied before is on the disk.
     */
    failFlush(cause: unknown): void {
      if (failedFlush !== null) return
      failedFlush = `${unflushed(file, cause)} The server ends, and checks the file when it starts again.`
      look()
      timer.after(endDelayMs, () => {
        onUnflushed?.()
        ended.resolve()
      })
    },
    /** Ends the checks. After a flush that failed, waits for the end of the process: the file must not be closed. */
    async stop() {
      cancel()
      if (failedFlush !== null) await ended.promise
    },
  }
}

function lost(file: string): string {
  return (
    `The data file ${file} was deleted or moved while the server ran. ` +
    "Put it back; or stop the server, restore a backup, and start the server again."
  )
}

/** Says that a flush failed. */
export function unflushed(file: string, cause: unknown): string {
  return (
    `The disk did not confirm that changes of the data file ${file} are on it (${messageOf(cause)}). ` +
    "The last ones may be lost. Check the disk."
  )
}

function replaced(file: string): string {
  return (
    `The data file ${file} was replaced while the server ran. ` +
    "Start the server again to use the new file, or put the old one back."
  )
}

/** SQLite writes the log to the data file when the server stops, also a deleted one. */
function lostLog(file: string): string {
  return (
    `${file}, a part of the data file, was deleted or replaced while the server ran. ` +
    "Stop the server, which saves what was charged, and start it again."
  )
}
