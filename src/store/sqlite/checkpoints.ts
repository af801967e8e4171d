import type { Database } from "bun:sqlite"
import { closeSync, existsSync, fdatasync, openSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Timer } from "../../apis/contract.ts"
import { messageOf } from "../../values/message-of.ts"
import { realPathOf } from "../../values/real-path.ts"
import type { OpenStore } from "../store-options.ts"
import type { CheckpointReply, CheckpointRequest, LogState } from "./checkpoint-thread.ts"
import { logLimitBytes } from "./database-file.ts"

/** The part of checkpoints that writes need. */
export interface Checkpoints {
  /** Null if writes may go on; otherwise resolves when they may. */
  pause(): Promise<void> | null
  /** Call for each write. Looks at the log soon. */
  look(): void
}

interface CheckpointParts {
  readonly timer: Timer
  /** Called when the disk did not confirm a flush, so that nothing more is charged. */
  readonly onFailedFlush?: (cause: Error) => void
  readonly log?: { warn(message: string, fields: Readonly<Record<string, unknown>>): void } | undefined
  /** The log is emptied when it has so many bytes. */
  readonly startBytes?: number
}

/** For stores that are open for a moment only, or in memory: SQLite makes checkpoints in their writes. */
export const noCheckpoints: Checkpoints = { pause: () => null, look() {} }

/** So much may be written meanwhile before the log is as large as it may be. */
const usualStartBytes = logLimitBytes / 2
const lookMs = 100
/** The next attempt while a reader or another process holds the log, or after a failure. */
const heldMs = 1_000
/** The most that writes wait for the last step. After it they meet its lock and are refused if it stays. */
const mostPauseMs = 1_000
/** SQLite makes a checkpoint within a write only when the thread has not managed to for so long. */
const unmanagedBytes = 4 * logLimitBytes

/** Beside this file; in a build, the entry point that `scripts/build.ts` adds. */
const threadFile = import.meta.path.endsWith(".ts")
  ? "checkpoint-thread.ts"
  : "store/sqlite/checkpoint-thread.js"

/**
 * Empties the write-ahead log of a data file in a thread. A checkpoint in a write flushes many pages to the disk, and all calls
 * waited for it, up to 0.8 s. The thread starts when it is needed first.
 */
export function createCheckpoints(
  database: Database,
  { timer, log, startBytes = usualStartBytes, onFailedFlush }: CheckpointParts,
) {
  const file = realPathOf(database.filename)
  const pageBytes = pageBytesOf(database)
  const state = logState(database)
  const shared = new SharedArrayBuffer(4)
  const mustWait = new Int32Array(shared)
  let thread: Worker | null = null
  let descriptor: number | null = null
  let running: PromiseWithResolvers<void> | null = null
  let paused: PromiseWithResolvers<void> | null = null
  let cancelLook: (() => void) | null = null
  let isFailing = false
  let isClosed = false
  database.run(`PRAGMA wal_autocheckpoint = ${Math.ceil(unmanagedBytes / pageBytes)}`)

  function schedule(delayMs: number): void {
    if (!isClosed && !running) cancelLook ??= timer.after(delayMs, lookNow)
  }

  function lookNow(): void {
    cancelLook = null
    try {
      const pages = state()
      if (pages.log * pageBytes < startBytes || pages.checkpointed === pages.log) return
      running = Promise.withResolvers()
      descriptor ??= openSync(file, "r+")
      thread ??= startThread()
      thread.postMessage({ file, descriptor, shared } satisfies CheckpointRequest)
    } catch (thrown) {
      end({ isHeld: true, problem: messageOf(thrown), isFailedFlush: false })
    }
  }

  function startThread(): Worker {
    const started = new Worker(join(import.meta.dir, threadFile), { smol: true })
    started.unref()
    started.onmessage = ({ data }: MessageEvent<CheckpointReply>) => end(data)
    const fail = (problem: string) => {
      if (thread !== started) return
      thread = null
      Atomics.store(mustWait, 0, 0)
      end({ isHeld: true, problem, isFailedFlush: false })
    }
    started.onerror = ({ message }) => fail(message)
    started.addEventListener("close", () => fail("its thread ended"))
    return started
  }

  function end({ isHeld, problem, isFailedFlush }: CheckpointReply): void {
    if (isFailedFlush && problem !== null) onFailedFlush?.(new Error(problem))
    if (problem !== null && !isFailing)
      log?.warn("write-ahead log not emptied; this is tried again", { cause: problem })
    isFailing = problem !== null
    running?.resolve()
    running = null
    resume()
    if (isHeld) schedule(heldMs)
  }

  function resume(): void {
    paused?.resolve()
    paused = null
  }

  function pause(): Promise<void> | null {
    if (Atomics.load(mustWait, 0) === 0) return null
    if (paused === null) {
      paused = Promise.withResolvers()
      const cancel = timer.after(mostPauseMs, resume)
      void paused.promise.then(cancel)
    }
    return paused.promise
  }

  return {
    pause,
    look: () => schedule(lookMs),
    /** Waits for a checkpoint under way. Call it before the database is closed, and `release` after that. */
    async stop(): Promise<void> {
      isClosed = true
      cancelLook?.()
      await running?.promise
      const ended = thread
      thread = null
      ended?.terminate()
    },
    release(): void {
      if (descriptor !== null) closeSync(descriptor)
      descriptor = null
    },
  }
}

/** Returns a function that reads the state of the log. It takes microseconds and no lock (SQLite 3.51). */
export function logState(database: Database): () => LogState {
  const noop = database.query<LogState, []>("PRAGMA wal_checkpoint(NOOP)")
  return () => noop.get() ?? { busy: 1, log: 0, checkpointed: 0 }
}

export function pageBytesOf(database: Database): number {
  return database.query<{ page_size: number }, []>("PRAGMA page_size").get()?.page_size ?? 0
}

/** The timer of flushes, and the way to flush a file. */
export interface FlushOptions {
  readonly timer: Timer
  /** Flushes an open file to the disk in the background. `done` gets the error of a flush that failed. */
  readonly sync?: (descriptor: number, done: (failure?: Error | null) => void) => void
  /** Called when a flush failed, so that nothing more is charged. */
  readonly onFailed: (cause: unknown) => void
  /** Opens the log at once: later, the clients of a server may have taken all descriptors of the process. */
  readonly isServed?: boolean
}

/** The time from a commit to its flush. With `synchronous = NORMAL` a power cut loses commits that were not flushed. */
const flushDelayMs = 100

type Stores = Pick<OpenStore, "store" | "admin">

/**
 * Flushes a store's write-ahead log in the background after charges and changes of the administration. SQLite does so only at a
 * checkpoint, which blocks all calls. A failure is told here: the system may report it to one flush only (fsync(2)). Closing the
 * store flushes what was not flushed yet: while other processes have the file open, SQLite does not.
 */
export function withWalFlush(
  stores: Stores,
  file: string,
  { timer, sync = fdatasync, onFailed, isServed = false }: FlushOptions,
): Stores & { stop(): Promise<void> } {
  if (file === ":memory:") return { ...stores, async stop() {} }
  const { store, admin } = stores
  const logFile = logFileOf(file)
  let log: number | null = null
  let cancelFlush: (() => void) | null = null
  let flushing: Promise<void> | null = null
  let isDirty = false
  let isClosed = false
  if (isServed) openLog()

  function schedule(): void {
    isDirty = true
    openLog()
    if (!flushing && !isClosed) cancelFlush ??= timer.after(flushDelayMs, flush)
  }

  /** Opens it beside a commit: it may not be opened later, when its file was made read-only meanwhile. */
  function openLog(): void {
    if (log !== null || isClosed) return
    try {
      // Closing this descriptor releases no lock of SQLite's: those are on the data file and the shared memory (fcntl(2)).
      log = openSync(logFile, "r+")
    } catch (thrown) {
      // SQLite itself reports a log that was removed.
      if (existsSync(logFile)) onFailed(thrown)
    }
  }

  function flush(): void {
    cancelFlush = null
    if (log === null) return
    isDirty = false
    const { promise, resolve } = Promise.withResolvers<void>()
    flushing = promise
    sync(log, (failure) => {
      flushing = null
      if (failure) onFailed(failure)
      if (isDirty) schedule()
      resolve()
    })
  }

  async function stop(): Promise<void> {
    if (isDirty) openLog()
    isClosed = true
    cancelFlush?.()
    await flushing
    if (isDirty) flush()
    await flushing
    if (log !== null) closeSync(log)
    log = null
    isDirty = false
  }

  const flushedStore: Stores["store"] = {
    ...store,
    async charge(charges, onDecided) {
      const outcomes = await store.charge(charges, onDecided)
      schedule()
      return outcomes
    },
    async close() {
      await stop()
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
  return { store: flushedStore, admin: flushedAdmin, stop }
}

/** The write-ahead log of a data file. SQLite keeps it next to the file itself, not next to a symbolic link to it. */
export function logFileOf(file: string): string {
  return `${realPathOf(file)}-wal`
}

/** The bytes of a file; 0 without one. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
