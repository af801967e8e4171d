import type { Database } from "bun:sqlite"
import { firstRowAt, timeOfRow } from "../kept-requests.ts"
import { prepareKeptRequests, type RequestMark, type RequestRow, requestColumns } from "../request-table.ts"
import type { Run } from "../rows.ts"
import type { Write } from "./read-write.ts"
import { aliveAt, createRun } from "./statement.ts"

interface SqliteRequestParts {
  /** Runs reads that may look at many rows. */
  readonly readApart: Run
  readonly write: Write
  /** Keeps the newest of so many alone, for a store in memory. */
  readonly most?: number | undefined
}

/** The kept requests of one connection. */
export function prepareRequests(database: Database, { readApart, write, most }: SqliteRequestParts) {
  // One row a statement is cheapest: 100 rows in one take a fourth longer.
  const insert = database.query<unknown, RequestRow[keyof RequestRow][]>(
    `INSERT INTO kept_requests (${requestColumns.join(", ")}) VALUES (${requestColumns.map(() => "?").join(", ")})
      ON CONFLICT DO NOTHING`,
  )
  const lastUntil = database.query<{ last: number }, [number]>(
    "SELECT max(id) AS last FROM kept_requests WHERE id < ?1",
  )
  const mark = database.query<unknown, [number, number, number]>(
    "INSERT INTO kept_marks (process, last, id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
  )
  const trim = database.query<unknown, [number]>(
    "DELETE FROM kept_requests WHERE id <= (SELECT id FROM kept_requests ORDER BY id DESC LIMIT 1 OFFSET ?1)",
  )

  const addAll = database.transaction((rows: readonly RequestRow[], marks: readonly RequestMark[]) => {
    let id = 0
    for (const row of rows) {
      const cells = requestColumns.map((column) => row[column])
      for (id = cells[0] = Math.max(row.id, id + 1); insert.run(...cells).changes === 0; )
        // Another process has this number. Its millisecond has more of them.
        id = cells[0] = (lastUntil.get(firstRowAt(timeOfRow(id) + 1))?.last ?? id) + 1
    }
    for (const { process, last } of marks) mark.run(process, last, id)
    if (most !== undefined) trim.run(most)
  })

  return prepareKeptRequests({
    read: readApart,
    change: createRun(database, write),
    insert: (rows, marks) => write(() => addAll.immediate(rows, marks)),
    hasAccountIndex: false,
    mostInOrder: 250_000,
    // The last 12 bits are mostly 0.
    alive: [aliveAt("id >> 12")],
  })
}
