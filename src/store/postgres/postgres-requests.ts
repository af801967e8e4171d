import type { KeptRequests } from "../kept-requests.ts"
import { prepareKeptRequests } from "../request-table.ts"
import type { Run } from "../rows.ts"
import type { Connection } from "./connection.ts"

/** One statement, so that it is done as a whole. Rows from JSON take less than half of the time of rows of parameters. */
const insertRows = `WITH marks AS (
    INSERT INTO kept_marks SELECT * FROM json_populate_recordset(NULL::kept_marks, $2::text::json) ON CONFLICT DO NOTHING)
  INSERT INTO kept_requests SELECT * FROM json_populate_recordset(NULL::kept_requests, $1::text::json) ON CONFLICT DO NOTHING`

/**
 * The kept requests in a PostgreSQL database.
 * @param read runs reads that may look at many rows
 * @param timed runs what changes many rows
 */
export function prepareRequests({ run }: Connection, read: Run, timed: Connection): KeptRequests {
  return prepareKeptRequests({
    read,
    change: timed.run,
    async insert(rows, marks) {
      await run(insertRows, [JSON.stringify(rows), JSON.stringify(marks)])
    },
    hasAccountIndex: true,
    alive: [],
  })
}
