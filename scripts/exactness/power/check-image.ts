import { Database } from "bun:sqlite"
import { rmSync, writeFileSync } from "node:fs"
import type { Call } from "../traffic.ts"

/** How the books of an image compare with the answers until the power was cut. */
interface ImageCheck {
  /** The damage or wrong charge; null if there is none. */
  readonly problem: string | null
  /** When the oldest answer came whose charge is lost, in milliseconds since 1970; null if none is lost. */
  readonly oldestLostMs: number | null
}

/** The credits that were charged to each account, and the ones that count in its month. */
export type Books = ReadonlyMap<string, number>

/** The table `ledger` keeps what counts in the month; the view adds up the usage of days. Both must agree. */
const selectBooks = `SELECT account_id AS id, used,
  (SELECT coalesce(sum(credits), 0) FROM all_usage WHERE all_usage.account_id = ledger.account_id) AS credits FROM ledger`

/** Writes an image to a file, opens it as a start after a power cut does, and compares it with the answers. */
export function checkImage(
  file: string,
  images: { readonly data: Buffer | null; readonly log: Buffer | null },
  before: Books,
  calls: readonly Call[],
  cutMs: number,
): ImageCheck {
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true })
  if (images.data) writeFileSync(file, images.data)
  if (images.log) writeFileSync(`${file}-wal`, images.log)
  try {
    using database = new Database(file, { create: false, readwrite: true, strict: true })
    const pragma = (name: string) => database.query<unknown[], []>(`PRAGMA ${name}`).values()
    const busy = pragma("wal_checkpoint(TRUNCATE)")[0]?.[0]
    const found = [...pragma("integrity_check").flat(), ...pragma("foreign_key_check")]
    if (busy !== 0 || found.length !== 1 || found[0] !== "ok")
      return { problem: `damaged: ${JSON.stringify([busy, found]).slice(0, 300)}`, oldestLostMs: null }
    return compareAnswers(database, before, calls, cutMs)
  } catch (cause) {
    return { problem: `cannot be opened: ${String(cause)}`, oldestLostMs: null }
  }
}

function compareAnswers(database: Database, before: Books, calls: readonly Call[], cutMs: number) {
  const rows = database.query<{ id: string; used: number; credits: number }, []>(selectBooks).all()
  const problems: string[] = []
  let oldestLostMs: number | null = null
  for (const [id, of] of Map.groupBy(calls, ({ customer }) => customer.id)) {
    const row = rows.find((each) => each.id === id)
    const booked = (row?.credits ?? 0) - (before.get(id) ?? 0)
    if (row?.used !== row?.credits)
      problems.push(`${id} has used ${row?.used}, and its days add up to ${row?.credits}`)
    let answered = 0
    let mayBe = 0
    for (const { startMs, endMs, credits, cost, status } of of) {
      if (timeOf(startMs) > cutMs) break
      if (status !== 200 || timeOf(endMs) > cutMs) {
        mayBe += cost
        continue
      }
      answered += credits
      if (answered <= booked) continue
      if (oldestLostMs === null || timeOf(endMs) < oldestLostMs) oldestLostMs = timeOf(endMs)
    }
    if (booked > answered + mayBe)
      problems.push(`${id} was charged ${booked}, and its answers say ${answered} + ${mayBe}`)
  }
  return { problem: problems.length > 0 ? problems.join("; ") : null, oldestLostMs }
}

/** The time of a client on the clock of the record, in milliseconds since 1970. */
export const timeOf = (performanceMs: number): number => performance.timeOrigin + performanceMs
