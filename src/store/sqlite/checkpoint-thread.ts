/** Runs in a thread: copies the write-ahead log of a data file into the file. Waiting for the disk here holds up no calls. */

import { Database } from "bun:sqlite"
import { fdatasyncSync } from "node:fs"
import { messageOf } from "../../values/message-of.ts"
import { isBusy, isFailedFlush } from "./errors.ts"

/** Pages of the write-ahead log, and how many of them are in the data file. */
export interface LogState {
  /** Not 0 if a lock was in the way. */
  readonly busy: number
  readonly log: number
  readonly checkpointed: number
}

/** Asks the thread to empty the log once. */
export interface CheckpointRequest {
  readonly file: string
  /**
   * An open descriptor of the file. Only its owner closes it: closing one releases all locks of the process on the file
   * (fcntl(2)).
   */
  readonly descriptor: number
  /** A 32-bit number: 1 while writes must wait. */
  readonly shared: SharedArrayBuffer
}

/** How a checkpoint ended. */
export interface CheckpointReply {
  /** Whether a reader or another process kept the log from being emptied. */
  readonly isHeld: boolean
  /** Why it failed; null if it did not. */
  readonly problem: string | null
  /** Whether the disk did not confirm that something is on it. */
  readonly isFailedFlush: boolean
}

declare const self: Worker

const mostPasses = 4
/** So few pages are left to the last step, for which writes wait. */
const fewPages = 64
/** Transactions of a service take less. While the last step waits for a lock, others wait for it. */
const lockTimeoutMs = 10

self.addEventListener("message", ({ data }: MessageEvent<CheckpointRequest>) => {
  self.postMessage(answer(data))
})

function answer(request: CheckpointRequest): CheckpointReply {
  try {
    return { isHeld: emptyLog(request), problem: null, isFailedFlush: false }
  } catch (thrown) {
    if (isBusy(thrown)) return { isHeld: true, problem: null, isFailedFlush: false }
    return { isHeld: true, problem: messageOf(thrown), isFailedFlush: isFailedFlush(thrown) }
  }
}

/** Returns whether something keeps the log from being emptied. */
function emptyLog({ file, descriptor, shared }: CheckpointRequest): boolean {
  const mustWait = new Int32Array(shared)
  const database = new Database(file, { create: false, readwrite: true, strict: true })
  try {
    database.run(`PRAGMA busy_timeout = ${lockTimeoutMs}`)
    database.run("PRAGMA synchronous = NORMAL")
    const run = (mode: "NOOP" | "PASSIVE" | "FULL") =>
      database.query<LogState, []>(`PRAGMA wal_checkpoint(${mode})`).get() ?? {
        busy: 1,
        log: 0,
        checkpointed: 0,
      }
    let left = Number.POSITIVE_INFINITY
    for (let pass = 0; pass < mostPasses && left > fewPages; pass++) {
      const copied = run("PASSIVE")
      if (copied.busy !== 0 || copied.checkpointed < copied.log) return true
      // SQLite flushes the file only if nothing was written meanwhile. Otherwise the last step would have to flush all of it.
      fdatasyncSync(descriptor)
      const { log, checkpointed } = run("NOOP")
      if (log === checkpointed) return false
      if (log - checkpointed > left / 2) break
      left = log - checkpointed
    }
    // SQLite begins the log anew only when all of it is in the file.
    Atomics.store(mustWait, 0, 1)
    const { busy, log, checkpointed } = run("FULL")
    return busy !== 0 || checkpointed < log
  } finally {
    Atomics.store(mustWait, 0, 0)
    database.close()
  }
}
