import type { Database } from "bun:sqlite"
import type { History } from "../history.ts"
import { prepareHistoryReads } from "../history-reads.ts"
import * as sql from "../history-sql.ts"
import type { Run } from "../rows.ts"
import type { Write } from "./read-write.ts"
import { texts } from "./statement.ts"

interface HistoryParts {
  /** Runs reads that may look at many rows. */
  readonly readApart: Run
  readonly write: Write
}

const dialect: sql.HistoryDialect = {
  earlier: "min",
  later: "max",
  number: (index) => `value ->> ${index}`,
  text: (index) => `value ->> ${index}`,
  rows: (parameter) => `json_each(?${parameter}) WHERE true`,
}

/** Prepares the history of one connection. */
export function prepareHistory(database: Database, { readApart, write }: HistoryParts): History {
  const addBatch = database.transaction(
    (process: string, number: number, newestMs: number, rows: readonly string[]) => {
      const isNew = database
        .query<unknown, [string, number, number]>(
          `INSERT INTO history_writers VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET batch = excluded.batch, at_ms = excluded.at_ms WHERE batch < excluded.batch`,
        )
        .run(process, number, newestMs)
      if (isNew.changes === 0) return
      sql.historyTables.forEach((table, index) => {
        database.query<unknown, [string]>(sql.insertRows(table, 1, dialect)).run(rows[index] ?? "[]")
      })
    },
  )

  function fold(table: sql.HistoryTable, untilMs: number, limit: number): number {
    const minutes = sql.selectMinutes(table, "?1", "?2")
    const columns = sql.columnsOf(table).join(", ")
    database
      .query<unknown, [number, number]>(
        `INSERT INTO ${table.name} (${columns})
         ${sql.sumsByHour(table, `${table.name} WHERE (${keyOf(table)}) IN (${minutes})`)} ${sql.orAdd(table, dialect)}`,
      )
      .run(untilMs, limit)
    return remove(table, minutes, untilMs, limit)
  }

  function remove(table: sql.HistoryTable, chosen: string, ms: number, limit: number): number {
    const statement = `DELETE FROM ${table.name} WHERE (${keyOf(table)}) IN (${chosen})`
    return database.query<unknown, [number, number]>(statement).run(ms, limit).changes
  }

  const foldAll = database.transaction((untilMs: number, limit: number) =>
    Math.max(...sql.historyTables.map((table) => fold(table, untilMs, limit))),
  )
  const deleteAll = database.transaction((ms: number, limit: number) => {
    database.query<unknown, [number]>("DELETE FROM history_writers WHERE at_ms < ?1").run(ms)
    return Math.max(
      ...sql.timedTables.map((table) => remove(table, sql.selectHours(table, "?1", "?2"), ms, limit)),
    )
  })

  return {
    add: (batch) =>
      write(() =>
        addBatch.immediate(batch.process, batch.number, sql.newestOf(batch), sql.toJsonRows(batch)),
      ),
    fold: (untilMs, limit) => write(() => foldAll.immediate(untilMs, limit)),
    deleteBefore: (ms, limit) => write(() => deleteAll.immediate(ms, limit)),
    ...prepareHistoryReads({ read: readApart, texts, alive: "alive()" }),
  }
}

function keyOf({ of }: sql.HistoryTable): string {
  return ["at_ms", ...of].join(", ")
}
