import type { Database } from "bun:sqlite"
import type { ChargeItem } from "../store.ts"
import { splitUsageEntry } from "../usage-sql.ts"

/** Calls and credits by name. */
export type DayUsage = Record<string, Amount>
/** The usage under one name. */
export type Amount = [calls: number, credits: number]

/** Usage of an account's day in one month. */
interface DayOfAccount {
  readonly accountId: string
  readonly periodStartMs: number
  readonly day: string
  /** By usageEntry. */
  readonly dayUsage: DayUsage
}

interface DayTotal {
  readonly day: string
  /** By API. */
  readonly usage: DayUsage
  /** The API that was added to last. Most charges of a turn are for one API, and a look-up by name costs as much as the rest. */
  lastApi: string | null
  last: Amount
  isChanged: boolean
}

/** Prepares the tables of usage on one connection. All of it must be called in a transaction. */
export function prepareUsageRecords(database: Database) {
  type Amounts = [number, number, number, number]
  const addUsage = database.query<unknown, [string, number, string, string, ...Amounts]>(
    `INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits, key_calls, key_credits)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits,
       key_calls = key_calls + excluded.key_calls, key_credits = key_credits + excluded.key_credits`,
  )
  const addKeyUsage = database.query<unknown, [string, string, string, string, number, number]>(
    `INSERT INTO key_usage (account_id, day, key_id, api, calls, credits) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`,
  )
  const readTotal = database.query<{ booked: string }, [string]>(
    "SELECT booked FROM usage_totals WHERE day = ?1",
  )
  const writeTotal = database.query<unknown, [string, string]>(
    "INSERT INTO usage_totals (day, booked) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET booked = excluded.booked",
  )
  /** The sums of the day that was charged last. */
  let total: DayTotal | null = null

  function startTotal(day: string): DayTotal {
    writeTotals()
    const row = readTotal.get(day)
    const usage: DayUsage = Object.assign(noUsage(), row && JSON.parse(row.booked))
    return { day, usage, lastApi: null, last: [0, 0], isChanged: false }
  }

  function writeTotals(): void {
    if (total === null || !total.isChanged) return
    writeTotal.run(total.day, JSON.stringify(total.usage))
    total.isChanged = false
  }

  return {
    /** Adds the usage of a day to the tables by API and by key. */
    move({ accountId, periodStartMs, day, dayUsage }: DayOfAccount): void {
      const byApi = new Map<string, Amounts>()
      for (const [name, [calls, credits]] of Object.entries(dayUsage)) {
        const { api, keyId } = splitUsageEntry(name)
        const sum = byApi.get(api) ?? [0, 0, 0, 0]
        sum[0] += calls
        sum[1] += credits
        byApi.set(api, sum)
        if (keyId === "") continue
        sum[2] += calls
        sum[3] += credits
        addKeyUsage.run(accountId, day, keyId, api, calls, credits)
      }
      for (const [api, amounts] of byApi) addUsage.run(accountId, periodStartMs, day, api, ...amounts)
    },
    /** Adds to the usage of all accounts. Kept in memory until `writeTotals`. */
    addToTotal(day: string, items: readonly ChargeItem[]): void {
      if (total?.day !== day) total = startTotal(day)
      for (const { api, calls, credits } of items) {
        if (total.lastApi !== api) {
          total.lastApi = api
          total.last = total.usage[api] ??= [0, 0]
        }
        total.last[0] += calls
        total.last[1] += credits
      }
      total.isChanged = true
    },
    writeTotals,
    /** Forgets the sums in memory: the transaction was rolled back, or another connection has written. */
    forget(): void {
      total = null
    },
  }
}

/** An object without a prototype, since an API may be called like one of its properties. */
export function noUsage(): DayUsage {
  return Object.create(null)
}
