import type { Database } from "bun:sqlite"
import type { ChargeItem } from "../store.ts"

/** What a charge reads and writes of an account. */
export interface LedgerEntry {
  readonly number: number
  readonly accountId: string
  closedMs: number | null
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

/** The ledger of a store: a row an account. Entries are read and written within {@link Ledger.transact}. */
export interface Ledger {
  /** Runs `work` in a transaction that has the lock for writing from its start: nobody comes between reading and writing. */
  transact<T>(work: () => T): T
  read(accountId: string): LedgerEntry | null
  write(entry: LedgerEntry): void
  /** Books usage on a day of the entry's month. Usage of another day or month has to be closed before. */
  book(entry: LedgerEntry, items: readonly ChargeItem[]): void
  /** Moves what is booked on the entry's day to the table of usage. The entry is then to be written. */
  closeDay(entry: LedgerEntry): void
}

type Row = Omit<LedgerEntry, "booked"> & { readonly booked: string }

/**
 * For one connection, all of whose changes of the ledger have to go through this.
 * @param maxKept entries kept in memory between transactions; beyond that those read longest ago go. About 300 octets each
 */
export function prepareLedger(database: Database, maxKept = 50_000): Ledger {
  const dataVersion = database.query<{ data_version: number }, []>("PRAGMA data_version")
  const read = database.query<Row, [string]>(
    `SELECT number, account_id AS accountId, closed_ms AS closedMs, period_start_ms AS periodStartMs, used, bonus,
       notified, day, booked
     FROM ledger WHERE account_id = ?1`,
  )
  // By position, since naming parameters costs a microsecond a charge.
  const write = database.query<
    unknown,
    [number, number | null, number, number, number, number, string, string]
  >(
    `UPDATE ledger SET closed_ms = ?2, period_start_ms = ?3, used = ?4, bonus = ?5, notified = ?6, day = ?7, booked = ?8
     WHERE number = ?1`,
  )
  const addUsage = database.query<unknown, [string, number, string, string, number, number]>(
    `INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`,
  )

  /** Entries as the file has them, for as long as no other connection has written to it. */
  const kept = new Map<string, LedgerEntry>()
  let version = -1

  /** With the lock held this is certain: SQLite counts, in memory, what other connections have committed. */
  function forgetOutdated(): void {
    const current = dataVersion.get()?.data_version ?? -1
    if (current !== version) kept.clear()
    version = current
  }

  /** Only between transactions: an entry that is read again within one must be the one that it has changed. */
  function forgetTooMany(): void {
    for (const accountId of kept.keys()) {
      if (kept.size <= maxKept) return
      kept.delete(accountId)
    }
  }

  return {
    transact(work) {
      const run = database.transaction(() => {
        forgetOutdated()
        forgetTooMany()
        return work()
      })
      try {
        return run.immediate()
      } catch (cause) {
        // Entries have been changed that the file has as they were.
        kept.clear()
        throw cause
      }
    },
    read(accountId) {
      const known = kept.get(accountId)
      if (known) return known
      const row = read.get(accountId)
      if (row === null) return null
      const entry: LedgerEntry = { ...row, booked: Object.assign(noBookings(), JSON.parse(row.booked)) }
      kept.set(accountId, entry)
      return entry
    },
    write({ number, closedMs, periodStartMs, used, bonus, notified, day, booked }) {
      write.run(number, closedMs, periodStartMs, used, bonus, notified, day, JSON.stringify(booked))
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
      entry.booked = noBookings()
    },
  }
}

/** Without a prototype, which has properties that an API could be called like. */
function noBookings(): LedgerEntry["booked"] {
  return Object.create(null)
}
