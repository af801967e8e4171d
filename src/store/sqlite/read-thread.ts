/** Runs in a thread: reads of a data file that may look at many rows, on a connection of their own. Calls go on meanwhile. */

import { Database } from "bun:sqlite"
import { messageOf } from "../../values/message-of.ts"
import type { Parameter } from "../rows.ts"
import { ReadRefused, StoreUnavailable } from "../store.ts"
import { toStoreError } from "./errors.ts"
import { addAlive } from "./statement.ts"

/** Asks the thread for the rows of one statement. */
export interface ReadRequest {
  readonly file: string
  readonly statement: string
  readonly parameters: readonly Parameter[]
  /** A 32-bit number: 1 once the read must end. */
  readonly shared: SharedArrayBuffer
}

/** The rows of a statement, or why there are none. */
export type ReadReply =
  | { readonly rows: readonly unknown[] }
  | { readonly problem: string; readonly kind: "late" | "unavailable" | "bug" }

declare const self: Worker

/** A reader meets a lock only while a process recovers the log that a killed one has left. */
const busyTimeoutMs = 1_000

let database: Database | null = null

self.addEventListener("message", ({ data }: MessageEvent<ReadRequest | null>) => {
  // Asks it to close the file.
  if (data === null) database?.close()
  self.postMessage(data ? answer(data) : { rows: [] })
})

function answer(request: ReadRequest): ReadReply {
  try {
    database ??= open(request)
    return { rows: database.query<unknown, Parameter[]>(request.statement).all(...request.parameters) }
  } catch (thrown) {
    if (thrown instanceof ReadRefused) return { problem: thrown.message, kind: "late" }
    const cause = toStoreError(thrown, database)
    // The next read opens the file anew: it may have been repaired.
    database?.close()
    database = null
    return { problem: messageOf(cause), kind: cause instanceof StoreUnavailable ? "unavailable" : "bug" }
  }
}

function open({ file, shared }: ReadRequest): Database {
  const mustEnd = new Int32Array(shared)
  const opened = new Database(file, { readonly: true, strict: true })
  opened.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  opened.run("PRAGMA cache_size = -8000")
  addAlive(opened, () => Atomics.load(mustEnd, 0) === 0)
  return opened
}
