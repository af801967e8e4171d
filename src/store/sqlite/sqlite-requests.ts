import type { Database } from "bun:sqlite"
import { findRequests, type KeptRequests } from "../kept-requests.ts"
import { valuesOfBody } from "../request-block.ts"
import type { Run } from "../rows.ts"
import type { Write } from "./write.ts"

interface RequestParts {
  /** Runs long reads. Other work gets its turn before each statement. */
  readonly readInTurn: Run
  readonly write: Write
}

interface OldBlock {
  readonly at_ms: number
  readonly process: string
  readonly body: string
}

/** The kept requests of one connection. */
export function prepareRequests(database: Database, { readInTurn, write }: RequestParts): KeptRequests {
  const add: KeptRequests["add"] = (blocks) => write(() => addAll.immediate(blocks))
  const addAll = database.transaction((blocks: Parameters<typeof add>[0]) => {
    const insert = database.query<unknown, [number, number, string, string]>(
      "INSERT INTO kept_requests (at_ms, from_ms, process, body) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    )
    const insertValue = database.query<unknown, [string, number, string, number]>(
      "INSERT INTO kept_request_values (value, at_ms, process, from_ms) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    )
    for (const { atMs, fromMs, process, body, values } of blocks) {
      if (insert.run(atMs, fromMs, process, body).changes === 0) continue
      for (const value of values) insertValue.run(value, atMs, process, fromMs)
    }
  })

  const deleteOldest = database.transaction((ms: number, limit: number) => {
    const findOld = database.query<OldBlock, [number]>(
      "SELECT at_ms, process, body FROM kept_requests WHERE at_ms < ?1 ORDER BY at_ms, process LIMIT 1",
    )
    const remove = database.query<unknown, [number, string]>(
      "DELETE FROM kept_requests WHERE at_ms = ?1 AND process = ?2",
    )
    const removeValue = database.query<unknown, [string, number, string]>(
      "DELETE FROM kept_request_values WHERE value = ?1 AND at_ms = ?2 AND process = ?3",
    )
    let rows = 0
    while (rows < limit) {
      const old = findOld.get(ms)
      if (old === null) return { rows, next: null }
      for (const value of valuesOfBody(old.body))
        rows += removeValue.run(value, old.at_ms, old.process).changes
      rows += remove.run(old.at_ms, old.process).changes
    }
    return { rows, next: "" }
  })

  return {
    add,
    find: (filter, page) => findRequests(readInTurn, filter, page),
    deleteBefore: (ms, limit) => write(() => deleteOldest.immediate(ms, limit)),
  }
}
