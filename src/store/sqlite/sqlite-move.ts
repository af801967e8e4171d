import type { Database } from "bun:sqlite"
import {
  type MoveRow,
  type MoveSource,
  type MoveSums,
  type MoveTarget,
  moveTables,
  rowsPerPage,
  selectSums,
} from "../move-tables.ts"
import { StoreUnusable } from "../store.ts"
import { lockForReplacing, openDatabase, requireFile } from "./database-file.ts"
import { isBusy, toStoreError } from "./errors.ts"

/** A command of another process may be writing. */
const busyTimeoutMs = 1_000

/**
 * Opens a data file whose rows are moved away. Servers and commands cannot change it until it is closed.
 * @throws StoreUnusable when it is missing, in use, or not a data file
 */
export function openSqliteSource(file: string): MoveSource {
  requireFile(file, `There is no data file ${file}. Name it with --from.`)
  const { database, attempt, close } = openLocked(file, { mustExist: true })
  return {
    async *read({ name, columns, only = "true", order }) {
      const select = `SELECT ${columns.join(", ")} FROM ${name} WHERE ${only}${order ? ` ORDER BY ${order}` : ""}`
      const rows = database.query<MoveRow, []>(select).iterate()
      let page: MoveRow[] = []
      for (;;) {
        const { value, done } = attempt(() => rows.next())
        if (!done) page.push(value)
        if (page.length === rowsPerPage || (done && page.length > 0)) {
          yield page
          page = []
        }
        if (done) return
      }
    },
    sums: async () => attempt(() => readSums(database)),
    // The lock file keeps servers away from the start.
    requireUnused: async () => {},
    [Symbol.asyncDispose]: async () => close(),
  }
}

/**
 * Opens an empty data file, or makes one. Everything is written in one transaction.
 * @throws StoreUnusable when it is in use, not empty, or not a data file
 */
export function openSqliteTarget(file: string): MoveTarget {
  const { database, attempt, close } = openLocked(file, { mustExist: false })
  const filled = moveTables.find(
    ({ name, only }) => !only && database.query(`SELECT 1 FROM ${name} LIMIT 1`).get() !== null,
  )
  if (filled) {
    close()
    throw new StoreUnusable(`${file} is not empty: it has ${filled.name}. Name a new file with --to.`)
  }
  // Triggers on new rows do not act.
  database.run("INSERT INTO meta (name, value) VALUES ('moving', 1)")
  return {
    async write({ name, columns, only }, rows) {
      attempt(() => {
        if (only) database.run(`DELETE FROM ${name} WHERE ${only}`)
        const insert = database.query(
          `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map((_, i) => `?${i + 1}`).join(", ")})`,
        )
        for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null))
      })
    },
    sums: async () => attempt(() => readSums(database)),
    async commit() {
      attempt(() => {
        database.run(fillUsageTotals)
        // Processes that have the file open forget its pages.
        database.run("UPDATE meta SET value = value + 1 WHERE name = 'revision'")
        database.run("DELETE FROM meta WHERE name = 'moving'")
        database.run("COMMIT")
      })
    },
    [Symbol.asyncDispose]: async () => close(),
  }
}

/** PostgreSQL keeps these sums otherwise. */
const fillUsageTotals = `INSERT INTO usage_totals
  SELECT day, json_group_object(api, json_array(calls, credits)) FROM (
    SELECT day, api, sum(calls) AS calls, sum(credits) AS credits FROM all_usage GROUP BY day, api)
  GROUP BY day`

function openLocked(file: string, options: { mustExist: boolean }) {
  const unlock = lockForReplacing(file, "move, then start it on the new store")
  let database: Database
  try {
    database = openDatabase(file, options)
  } catch (cause) {
    unlock()
    throw cause
  }
  /** Rolls back what was not committed. */
  function close(): void {
    database.close()
    unlock()
  }
  try {
    database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    // A move is committed once, and must survive a power cut when it is reported.
    database.run("PRAGMA synchronous = FULL")
    database.run("BEGIN IMMEDIATE")
  } catch (cause) {
    close()
    if (!isBusy(cause)) throw toStoreError(cause, database)
    throw new StoreUnusable(`${file} is being changed by another process. Move it when that has ended.`, {
      cause,
    })
  }
  return {
    database,
    close,
    attempt<T>(work: () => T): T {
      try {
        return work()
      } catch (cause) {
        throw toStoreError(cause, database)
      }
    },
  }
}

function readSums(database: Database): MoveSums {
  const row = database.query<MoveSums, []>(selectSums).get()
  if (row === null) throw new Error("a SELECT without FROM gave no row")
  return row
}
