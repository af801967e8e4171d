import type { LedgerRow, TopOfLedger } from "../list-parts.ts"
import type { Run } from "../rows.ts"

/** Rows of `ledger` that one statement looks at. Other work gets its turn after it. */
const rowsPerStep = 16_384

/**
 * Reads the highest rows of `ledger` in steps over all of it, the last rows first: those of later accounts, whose ids are mostly
 * not lower. Each step looks for rows above those that are kept.
 */
export async function readTopOfLedger(
  read: Run,
  ...[column, where, below, limit]: Parameters<TopOfLedger>
): Promise<readonly LedgerRow[]> {
  const [end] = await read<{ last: number | null }>("SELECT max(number) AS last FROM ledger", [])
  const none = column === "used" ? "0" : "''"
  const last = end?.last ?? 0
  const isBelow = below === null ? "" : `AND (${column}, account_id) < ($3, $4)`
  const select = `SELECT account_id AS id, used, day, period_start_ms AS periodStartMs FROM ledger NOT INDEXED
    WHERE number BETWEEN $1 AND $2 AND ${column} > ${none} AND ${where} ${isBelow}`
  let top: readonly Row[] = []
  for (let to = last; to >= 0; to -= rowsPerStep) {
    const lowest = top.length < limit ? undefined : top.at(-1)
    const place = below ?? []
    const isAbove = lowest ? `AND (${column}, account_id) > ($${place.length + 3}, $${place.length + 4})` : ""
    const rows = await read<Row>(
      `${select} ${isAbove} ORDER BY ${column} DESC, account_id DESC LIMIT ${limit}`,
      [to - rowsPerStep + 1, to, ...place, ...(lowest ? [lowest[column], lowest.id] : [])],
    )
    if (rows.length > 0) top = [...top, ...rows].sort((a, b) => compare(b, a, column)).slice(0, limit)
  }
  const ids = JSON.stringify(top.map(({ id }) => id))
  const created = await read<{ id: string; createdMs: number }>(
    "SELECT id, created_ms AS createdMs FROM accounts WHERE id IN (SELECT value FROM json_each($1))",
    [ids],
  )
  const createdOf = new Map(created.map(({ id, createdMs }) => [id, createdMs]))
  return top.map((row) => ({ ...row, createdMs: createdOf.get(row.id) ?? 0 }))
}

/** Only the rows that are found have their account looked up. */
type Row = Omit<LedgerRow, "createdMs">

function compare(a: Row, b: Row, column: "used" | "day"): number {
  if (a[column] !== b[column]) return a[column] < b[column] ? -1 : 1
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))
}
