import type { Database } from "bun:sqlite"

/** Pages of the write-ahead log, and how many of them are in the data file. */
export interface LogState {
  /** Not 0 if a lock was in the way. */
  readonly busy: number
  readonly log: number
  readonly checkpointed: number
}

/** Returns a function that reads the state of the log. It takes microseconds and no lock (SQLite 3.51). */
export function logState(database: Database): () => LogState {
  const noop = database.query<LogState, []>("PRAGMA wal_checkpoint(NOOP)")
  return () => noop.get() ?? { busy: 1, log: 0, checkpointed: 0 }
}

export function pageBytesOf(database: Database): number {
  return database.query<{ page_size: number }, []>("PRAGMA page_size").get()?.page_size ?? 0
}
