import type { Timer } from "../../apis/contract.ts"
import { deleteRequestsBefore, findRequests, type KeptRequests } from "../kept-requests.ts"
import { toValueList } from "../request-group.ts"
import { indexRecent } from "../request-index.ts"
import type { Connection } from "./connection.ts"

/**
 * The kept requests in a PostgreSQL database.
 * @param timed runs what changes many rows
 */
export function prepareRequests(
  { run }: Connection,
  timed: Connection,
  timer: Pick<Timer, "turn">,
): KeptRequests {
  return {
    async add(blocks) {
      if (blocks.length === 0) return
      const rows = blocks.map((_, n) => {
        const first = 6 * n + 1
        return `($${first}::bigint, $${first + 1}::text, $${first + 2}::bigint, $${first + 3}::bigint, $${first + 4}::text, $${first + 5}::text)`
      })
      // One statement, so that it is done as a whole.
      await run(
        `WITH given (at_ms, process, from_ms, count, body, value_list) AS (VALUES ${rows.join(", ")}),
          added AS (INSERT INTO kept_requests (at_ms, process, from_ms, body) SELECT at_ms, process, from_ms, body FROM given
            ON CONFLICT DO NOTHING RETURNING at_ms, process)
          INSERT INTO kept_request_recent (at_ms, process, from_ms, count, value_list)
            SELECT at_ms, process, from_ms, count, value_list FROM given JOIN added USING (at_ms, process)`,
        blocks.flatMap(({ atMs, process, fromMs, count, body, values }) => [
          ...[atMs, process, fromMs, count, body],
          toValueList(values),
        ]),
      )
    },
    index: (nowMs) => indexRecent({ read: run, change: timed.run, timer, entriesAtOnce: 256 }, nowMs),
    find: (filter, page) => findRequests(run, filter, page, "strpos"),
    deleteBefore: (ms, limit) => deleteRequestsBefore(timed.run, ms, limit),
  }
}
