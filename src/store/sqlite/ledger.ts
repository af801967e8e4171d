import type { Database } from "bun:sqlite"
import type { ChargeItem } from "../store.ts"

/** What a charge reads and writes of an account. */
export interface LedgerEntry {
  readonly number: number
  readonly accountId: string
  readonly closedMs: number | null
  /** Start of the month that `used` counts. */
  periodStartMs: number
  used: number
  bonus: number
  /** The highest threshold that notices of this month have told of, in percent. */
  notified: number
  /** The UTC day of `booked`, `YYYY-MM-DD`. */
  day: string
  /** Calls and credits of that day in this month, by API. */
  booked: Record<string, [calls: number, credits: number]>
}

/** The ledger of a store: a row an account. To be used within a transaction that has the lock for writing. */
export interface Ledger {
  read(accountId: string): LedgerEntry | null
  write(entry: LedgerEntry): void
  /** Books usage on a day of the entry's month. Usage of another day or month has to be closed before. */
  book(entry: LedgerEntry, items: readonly ChargeItem[]): void
  /** Moves what is booked on the entry's day to the table of usage. The entry is then to be written. */
  closeDay(entry: LedgerEntry): void
}

type Row = Omit<LedgerEntry, "booked"> & { readonly booked: string }

export function prepareLedger(database: Database): Ledger {
  const read = database.query<Row, [string]>(
    `SELECT number, account_id AS accountId, closed_ms AS closedMs, period_start_ms AS periodStartMs, used, bonus,
       notified, day, booked
     FROM ledger WHERE account_id = ?1`,
  )
  // By position, since naming parameters costs a microsecond a charge.
  const write = database.query<unknown, [number, number, number, number, number, string, string]>(
    `UPDATE ledger SET period_start_ms = ?2, used = ?3, bonus = ?4, notified = ?5, day = ?6, booked = ?7
     WHERE number = ?1`,
  )
  const addUsage = database.query<unknown, [string, number, string, string, number, number]>(
    `INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`,
  )

  return {
    read(accountId) {
      const row = read.get(accountId)
      return row && { ...row, booked: JSON.parse(row.booked) }
    },
    write({ number, periodStartMs, used, bonus, notified, day, booked }) {
      write.run(number, periodStartMs, used, bonus, notified, day, JSON.stringify(booked))
    },
    book({ booked }, items) {
      for (const { api, calls, credits } of items) {
        const row = booked[api]
        if (row) {
          row[0] += calls
          row[1] += credits
        } else {
          booked[api] = [calls, credits]
        }
      }
    },
    closeDay(entry) {
      for (const [api, [calls, credits]] of Object.entries(entry.booked)) {
        addUsage.run(entry.accountId, entry.periodStartMs, entry.day, api, calls, credits)
      }
      entry.booked = {}
    },
  }
}
