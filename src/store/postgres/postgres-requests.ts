import { findRequests, type KeptRequests } from "../kept-requests.ts"
import { type RequestBlock, valuesOfBody } from "../request-block.ts"
import type { Connection } from "./connection.ts"
import { toArray } from "./parameters.ts"

/** Blocks that are deleted at once. */
const oldAtOnce = 16

/**
 * The kept requests in a PostgreSQL database.
 * @param timed runs what deletes rows because they are old
 */
export function prepareRequests({ run }: Connection, timed: Connection): KeptRequests {
  return {
    async add(blocks) {
      if (blocks.length > 0) await run(insertOf(blocks), valuesOf(blocks))
    },
    find: (filter, page) => findRequests(run, filter, page),
    async deleteBefore(ms, limit) {
      const found = await timed.run<OldBlock>(selectOld, [ms, oldAtOnce])
      // A block with many accounts has some hundreds of entries.
      let count = 0
      const old: Entry[] = []
      const blocks: OldBlock[] = []
      for (const block of found) {
        if (count >= limit) break
        const values = valuesOfBody(block.body)
        blocks.push(block)
        old.push(...values.map((value) => ({ ...block, value })))
        count += 1 + values.length
      }
      if (blocks.length === 0) return { rows: 0, next: null }
      const values = toArray(old.map(({ value }) => value))
      const [row] = await timed.run<{ rows: number }>(deleteOld, [
        values,
        ...placesOf(old),
        ...placesOf(blocks),
      ])
      const isEnd = found.length < oldAtOnce && blocks.length === found.length
      return { rows: row?.rows ?? 0, next: isEnd ? null : "" }
    },
  }
}

interface OldBlock {
  readonly atMs: number
  readonly process: string
  readonly body: string
}

type Entry = OldBlock & { readonly value: string }

/** One statement, so that it is done as a whole. Bodies are parameters of their own: in an array, each quotation mark is escaped. */
function insertOf(blocks: readonly RequestBlock[]): string {
  const rows = blocks.map((_, n) => {
    const first = 4 * n + 5
    return `($${first}::bigint, $${first + 1}::bigint, $${first + 2}::text, $${first + 3}::text)`
  })
  return `
    WITH added AS (
      INSERT INTO kept_requests (at_ms, from_ms, process, body) VALUES ${rows.join(", ")} ON CONFLICT DO NOTHING)
    INSERT INTO kept_request_values (value, at_ms, process, from_ms)
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[]) ON CONFLICT DO NOTHING`
}

function valuesOf(blocks: readonly RequestBlock[]): (string | number)[] {
  const entries = blocks.flatMap((block) => block.values.map((value) => ({ ...block, value })))
  return [
    toArray(entries.map(({ value }) => value)),
    ...placesOf(entries),
    toArray(entries.map(({ fromMs }) => fromMs)),
    ...blocks.flatMap(({ atMs, fromMs, process, body }) => [atMs, fromMs, process, body]),
  ]
}

function placesOf(blocks: readonly Pick<OldBlock, "atMs" | "process">[]): [times: string, processes: string] {
  return [toArray(blocks.map(({ atMs }) => atMs)), toArray(blocks.map(({ process }) => process))]
}

const selectOld = `SELECT at_ms::float8 AS "atMs", process, body FROM kept_requests WHERE at_ms < $1::bigint
  ORDER BY at_ms, process LIMIT $2::bigint`

const deleteOld = `
  WITH entries AS (DELETE FROM kept_request_values AS entry
    USING unnest($1::text[], $2::bigint[], $3::text[]) AS old (value, at_ms, process)
    WHERE entry.value = old.value AND entry.at_ms = old.at_ms AND entry.process = old.process RETURNING 1),
  blocks AS (DELETE FROM kept_requests AS block USING unnest($4::bigint[], $5::text[]) AS old (at_ms, process)
    WHERE block.at_ms = old.at_ms AND block.process = old.process RETURNING 1)
  SELECT ((SELECT count(*) FROM entries) + (SELECT count(*) FROM blocks))::float8 AS rows`
