import type { Database } from "bun:sqlite"
import { LRUCache } from "lru-cache"
import type { ChargeItem } from "../store.ts"

/** The fields of an account that a charge reads and writes. */
export interface LedgerEntry {
  readonly number: number
  readonly accountId: string
  closedMs: number | null
  /** Start of the credit month that `used` counts. */
  periodStartMs: number
  used: number
  bonus: number
  /** The highest threshold that has raised a notice this month, in percent; 0 without one, 100 once all credits were used up. */
  notified: number
  /** The UTC day of `dayUsage`, `YYYY-MM-DD`. */
  day: string
  /** Usage of that day in this month, by API. */
  dayUsage: Record<string, [calls: number, credits: number]>
}

/** One row per account. Read and written within {@link Ledger.transact} only. */
export interface Ledger {
  /** Runs `work` in a transaction that locks the database for writing from its start. */
  transact<T>(work: () => T): T
  /** The entry to change in place. Keep it until the transaction ends: another read may give another object. */
  read(accountId: string): LedgerEntry | null
  write(entry: LedgerEntry): void
  /** Adds usage to the entry's day. Call {@link Ledger.closeDay} before the entry changes its day or month. */
  addUsage(entry: LedgerEntry, items: readonly ChargeItem[]): void
  /** Moves the entry's day of usage to the usage table. The entry must be written afterwards. */
  closeDay(entry: LedgerEntry): void
}

type Row = Omit<LedgerEntry, "dayUsage"> & { readonly dayUsage: string }

/**
 * Prepares the ledger of one connection. All its changes of the ledger must go through this.
 * @param maxEntries entries to keep in memory, about 300 octets each
 */
export function prepareLedger(database: Database, maxEntries = 50_000): Ledger {
  const dataVersion = database.query<{ data_version: number }, []>("PRAGMA data_version")
  const read = database.query<Row, [string]>(
    `SELECT number, account_id AS accountId, closed_ms AS closedMs, period_start_ms AS periodStartMs, used, bonus,
       notified, day, booked AS dayUsage
     FROM ledger WHERE account_id = ?1`,
  )
  // Numbered parameters: named ones cost a microsecond per charge.
  const write = database.query<
    unknown,
    [number, number | null, number, number, number, number, string, string]
  >(
    `UPDATE ledger SET closed_ms = ?2, period_start_ms = ?3, used = ?4, bonus = ?5, notified = ?6, day = ?7, booked = ?8
     WHERE number = ?1`,
  )
  const insertUsage = database.query<unknown, [string, number, string, string, number, number]>(
    `INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`,
  )
  /** Valid until another connection writes. `max` would allocate for all entries at the start. */
  const entries = new LRUCache<string, LedgerEntry>({ maxSize: maxEntries, sizeCalculation: () => 1 })
  let version = -1

  /** With the lock held this is exact: SQLite counts the commits of other connections. */
  function dropOutdated(): void {
    const currentVersion = dataVersion.get()?.data_version ?? -1
    if (currentVersion !== version) entries.clear()
    version = currentVersion
  }

  const transaction = database.transaction((work: () => unknown) => {
    dropOutdated()
    return work()
  })

  return {
    transact<T>(work: () => T) {
      try {
        return transaction.immediate(work) as T
      } catch (cause) {
        // The rollback did not undo the changes of entries in memory.
        entries.clear()
        throw cause
      }
    },
    read(accountId) {
      const kept = entries.get(accountId)
      if (kept) return kept
      const row = read.get(accountId)
      if (row === null) return null
      const entry: LedgerEntry = { ...row, dayUsage: Object.assign(noUsage(), JSON.parse(row.dayUsage)) }
      entries.set(accountId, entry)
      return entry
    },
    write({ number, closedMs, periodStartMs, used, bonus, notified, day, dayUsage }) {
      write.run(number, closedMs, periodStartMs, used, bonus, notified, day, JSON.stringify(dayUsage))
    },
    addUsage({ dayUsage }, items) {
      for (const { api, calls, credits } of items) {
        const usage = dayUsage[api]
        if (usage) {
          usage[0] += calls
          usage[1] += credits
        } else {
          dayUsage[api] = [calls, credits]
        }
      }
    },
    closeDay(entry) {
      for (const [api, [calls, credits]] of Object.entries(entry.dayUsage)) {
        insertUsage.run(entry.accountId, entry.periodStartMs, entry.day, api, calls, credits)
      }
      entry.dayUsage = noUsage()
    },
  }
}

/** An object without a prototype, since an API may be called like one of its properties. */
function noUsage(): LedgerEntry["dayUsage"] {
  return Object.create(null)
}
