import { once } from "node:events"
import { join } from "node:path"
import type { Timer } from "../../apis/contract.ts"
import { realPathOf } from "../../values/real-path.ts"
import type { Run } from "../rows.ts"
import { ReadRefused, readLimitMs, StoreUnavailable } from "../store.ts"
import type { noWatch } from "./file-watch.ts"
import type { ReadReply, ReadRequest } from "./read-thread.ts"
import { toSqlite } from "./statement.ts"

interface ReadsParts {
  readonly timer: Timer
  readonly watch: Pick<typeof noWatch, "require">
  readonly log?: { warn(message: string, fields: Readonly<Record<string, unknown>>): void } | undefined
}

/** Reads that wait for their turn, at most. More are refused. */
const mostWaiting = 256
/** A statement that does not look at the clock, such as one that sorts, gets so much longer before it is left alone. */
const graceMs = 1_000

/** Beside this file; in a build, the entry point that `scripts/build.ts` and `scripts/package.ts` add. */
const threadFile = import.meta.path.endsWith(".ts") ? "read-thread.ts" : "store/sqlite/read-thread.js"

/**
 * Reads a data file in a thread, one statement at a time: a look at half a million rows would hold up all calls for 50 ms. The
 * thread starts with the first read. Rows that were committed before a read began are seen.
 */
export function createReads(name: string, { timer, watch, log }: ReadsParts) {
  const file = realPathOf(name)
  let thread: Worker | null = null
  let mustEnd = new Int32Array(new SharedArrayBuffer(4))
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let isClosed = false

  /** Sends a statement, and gives it up when it takes too long. */
  function ask(statement: string, parameters: ReadRequest["parameters"]): Promise<readonly unknown[]> {
    watch.require()
    if (isClosed) throw new StoreUnavailable("The data file is closed.")
    thread ??= startThread()
    const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>()
    const asked = thread
    const shared = mustEnd
    Atomics.store(shared, 0, 0)
    asked.onmessage = ({ data }: MessageEvent<ReadReply>) => {
      if ("rows" in data) resolve(data.rows)
      else reject(toError(data))
    }
    const leave = (cause: Error) => {
      if (thread === asked) thread = null
      asked.terminate()
      reject(cause)
    }
    asked.onerror = ({ message }) => leave(new StoreUnavailable(`The thread that reads failed: ${message}`))
    let cancel = timer.after(readLimitMs, () => {
      Atomics.store(shared, 0, 1)
      cancel = timer.after(graceMs, () => {
        log?.warn("a read could not be ended; its thread is left alone", { statement })
        leave(new ReadRefused())
      })
    })
    asked.postMessage({ file, statement, parameters, shared: shared.buffer } satisfies ReadRequest)
    return promise.finally(() => cancel())
  }

  function startThread(): Worker {
    mustEnd = new Int32Array(new SharedArrayBuffer(4))
    const started = new Worker(join(import.meta.dir, threadFile), { smol: true })
    started.unref()
    return started
  }

  /** Lets the thread close the file: as long as it is open somewhere, its log stays beside it. */
  async function end(): Promise<void> {
    const ended = thread
    thread = null
    ended?.postMessage(null)
    if (ended) await Promise.race([once(ended, "message"), once(ended, "error")])
    ended?.terminate()
  }

  const read: Run = async <Row>(statement: string, parameters: ReadRequest["parameters"]) => {
    if (waiting >= mostWaiting)
      throw new ReadRefused("Too many lists and searches wait for the data file. Ask again in a moment.")
    waiting++
    const rows = last.then(() => ask(toSqlite(statement), parameters)).finally(() => waiting--)
    last = rows.catch(() => {})
    return (await rows) as readonly Row[]
  }
  return {
    read,
    /** Opens the file anew with the next read: SQLite goes on reading one that was replaced. Never rejects. */
    renew: () => last.then(end),
    /** Ends the read under way. */
    async stop(): Promise<void> {
      isClosed = true
      Atomics.store(mustEnd, 0, 1)
      await last
      thread?.ref()
      await end()
    },
  }
}

function toError({ problem, kind }: Exclude<ReadReply, { readonly rows: readonly unknown[] }>): Error {
  if (kind === "late") return new ReadRefused()
  return kind === "unavailable" ? new StoreUnavailable(problem) : new Error(problem)
}
