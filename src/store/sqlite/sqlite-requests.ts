import type { Database } from "bun:sqlite"
import type { Timer } from "../../apis/contract.ts"
import { deleteRequestsBefore, findRequests, type KeptRequests } from "../kept-requests.ts"
import { toValueList } from "../request-group.ts"
import { indexRecent } from "../request-index.ts"
import type { Run } from "../rows.ts"
import { createRun } from "./statement.ts"
import type { Write } from "./write.ts"

interface RequestParts {
  /** Runs long reads. Other work gets its turn before each statement. */
  readonly readInTurn: Run
  readonly write: Write
  readonly timer: Pick<Timer, "turn">
}

/** The kept requests of one connection. */
export function prepareRequests(
  database: Database,
  { readInTurn: read, write, timer }: RequestParts,
): KeptRequests {
  const change = createRun(database, write)
  const addAll = database.transaction((blocks: Parameters<KeptRequests["add"]>[0]) => {
    const insert = database.query<unknown, [number, string, number, string]>(
      "INSERT INTO kept_requests (at_ms, process, from_ms, body) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    )
    const insertRecent = database.query<unknown, [number, string, number, number, string]>(
      "INSERT INTO kept_request_recent (at_ms, process, from_ms, count, value_list) VALUES (?1, ?2, ?3, ?4, ?5)",
    )
    for (const { atMs, process, fromMs, count, body, values } of blocks) {
      if (insert.run(atMs, process, fromMs, body).changes === 0) continue
      insertRecent.run(atMs, process, fromMs, count, toValueList(values))
    }
  })

  return {
    add: (blocks) => write(() => addAll.immediate(blocks)),
    index: (nowMs) => indexRecent({ read, change, timer, entriesAtOnce: 64 }, nowMs),
    find: (filter, page) => findRequests(read, filter, page, "instr"),
    deleteBefore: (ms, limit) => deleteRequestsBefore(change, ms, limit),
  }
}
