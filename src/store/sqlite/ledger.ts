import type { Database } from "bun:sqlite"
import { LRUCache } from "lru-cache"
import type { Charge } from "../store.ts"
import { usageEntry } from "../usage-sql.ts"
import { type Amount, type DayUsage, noUsage, prepareUsageRecords } from "./usage-records.ts"

/** The fields of an account that a charge reads and writes. */
export interface LedgerEntry {
  readonly number: number
  readonly accountId: string
  closedMs: number | null
  /** Start of the credit month that `used` counts. */
  periodStartMs: number
  used: number
  bonus: number
  /**
   * The highest threshold that has raised a notice this month, in percent; 0 without one, 1 without one when the plan was
   * changed, 100 once all credits were used up.
   */
  notified: number
  /** The UTC day of `dayUsage`, `YYYY-MM-DD`. */
  day: string
  /** Usage of that day in this month, by {@link usageEntry}. */
  dayUsage: DayUsage
  /** How many entries `dayUsage` has. */
  dayEntries: number
  /** The row's values in the columns that few charges change. */
  saved: Pick<LedgerEntry, "closedMs" | "notified">
  /** The usage that was added to last, since many charges in a row are for the same. Making its name takes 0.2 µs. */
  last: { readonly api: string; readonly keyId: string | undefined; readonly amount: Amount } | null
}

/** With more entries, such as those of many keys, an account's usage of the day moves to the usage table early. */
const maxDayEntries = 32

/** One row per account. Read and written within `transact` only. */
export type Ledger = ReturnType<typeof prepareLedger>

type Row = Omit<LedgerEntry, "dayUsage" | "dayEntries" | "saved" | "last"> & { readonly dayUsage: string }

/**
 * Prepares the ledger of one connection. All its changes of the ledger must go through this.
 * @param maxEntries entries to keep in memory, about 300 bytes each
 */
export function prepareLedger(database: Database, maxEntries = 50_000) {
  const dataVersion = database.query<{ data_version: number }, []>("PRAGMA data_version")
  const read = database.query<Row, [string]>(
    `SELECT number, account_id AS accountId, closed_ms AS closedMs, period_start_ms AS periodStartMs, used, bonus,
       notified, day, booked AS dayUsage
     FROM ledger WHERE account_id = ?1`,
  )
  // Numbered parameters: named ones cost a microsecond per charge.
  const write = database.query<unknown, [number, number, number, number, string, string]>(
    "UPDATE ledger SET period_start_ms = ?2, used = ?3, bonus = ?4, day = ?5, booked = ?6 WHERE number = ?1",
  )
  /** The columns of indexes. A statement that sets them looks at the indexes, even when their values stay. */
  const writeIndexed = database.query<unknown, [number, number | null, number]>(
    "UPDATE ledger SET closed_ms = ?2, notified = ?3 WHERE number = ?1",
  )
  const records = prepareUsageRecords(database)
  /** Valid until another connection writes. `max` would allocate for all entries at the start. */
  const entries = new LRUCache<string, LedgerEntry>({ maxSize: maxEntries, sizeCalculation: () => 1 })
  let version = -1

  /** With the lock held this is exact: SQLite counts the commits of other connections. */
  function dropOutdated(): void {
    const currentVersion = dataVersion.get()?.data_version ?? -1
    if (currentVersion !== version) forget()
    version = currentVersion
  }

  function forget(): void {
    entries.clear()
    records.forget()
  }

  const transaction = database.transaction((work: () => unknown) => {
    dropOutdated()
    const result = work()
    records.writeTotals()
    return result
  })

  /** Moves the entry's day of usage to the usage table. The entry must be written afterwards. */
  function closeDay(entry: LedgerEntry): void {
    if (entry.dayEntries > 0) records.move(entry)
    entry.dayUsage = noUsage()
    entry.dayEntries = 0
    entry.last = null
  }

  function amountOf(entry: LedgerEntry, api: string, keyId: string | undefined): Amount {
    const { last, dayUsage } = entry
    if (last?.api === api && last.keyId === keyId) return last.amount
    const name = usageEntry(api, keyId)
    let amount = dayUsage[name]
    if (!amount) {
      amount = [0, 0]
      dayUsage[name] = amount
      entry.dayEntries++
    }
    entry.last = { api, keyId, amount }
    return amount
  }

  return {
    /** Runs `work` in a transaction that locks the database for writing from its start. */
    transact<T>(work: () => T): T {
      try {
        return transaction.immediate(work) as T
      } catch (cause) {
        // The rollback did not undo the changes in memory.
        forget()
        throw cause
      }
    },
    /** The entry to change in place. Keep it until the transaction ends: another read may return another object. */
    read(accountId: string): LedgerEntry | null {
      const kept = entries.get(accountId)
      if (kept) return kept
      const row = read.get(accountId)
      if (row === null) return null
      const dayUsage: DayUsage = Object.assign(noUsage(), JSON.parse(row.dayUsage))
      const { closedMs, notified } = row
      const dayEntries = Object.keys(dayUsage).length
      const entry: LedgerEntry = { ...row, dayUsage, dayEntries, saved: { closedMs, notified }, last: null }
      entries.set(accountId, entry)
      return entry
    },
    /** Moves the day's usage to the usage table first when it has too many entries. */
    write(entry: LedgerEntry): void {
      if (entry.dayEntries > maxDayEntries) closeDay(entry)
      const { number, closedMs, periodStartMs, used, bonus, notified, day, dayUsage, saved } = entry
      write.run(number, periodStartMs, used, bonus, day, JSON.stringify(dayUsage))
      if (closedMs === saved.closedMs && notified === saved.notified) return
      writeIndexed.run(number, closedMs, notified)
      entry.saved = { closedMs, notified }
    },
    /** Adds a charge's usage to the entry's day. Call `closeDay` before the entry changes its day or month. */
    addUsage(entry: LedgerEntry, { items, keyId }: Pick<Charge, "items" | "keyId">): void {
      for (const { api, calls, credits } of items) {
        const amount = amountOf(entry, api, keyId)
        amount[0] += calls
        amount[1] += credits
      }
      records.addToTotal(entry.day, items)
    },
    closeDay,
    /** Forgets the entry of an account whose row a statement has changed. */
    drop(accountId: string): void {
      entries.delete(accountId)
    },
  }
}
