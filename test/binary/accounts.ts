import { Database } from "bun:sqlite"
import { expect } from "bun:test"
import { join } from "node:path"
import { defaultPlans } from "../../src/accounts/plan.ts"
import type { NewKey } from "../../src/admin/program-accounts.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite.ts"
import { createTestAccounts, type TestAccounts } from "../support/accounts.ts"
import { type KeyedRequest, withKey } from "../support/keyed-request.ts"

/** A call that every plan may make; it costs one credit. */
export const lookUp = "/v1/bluetoothlookup?companyid=76"

interface NewAccount {
  readonly plan?: string
  /** Limits of its key. */
  readonly limits?: Omit<NewKey, "accountId">
}

export interface SeededAccount {
  readonly id: string
  readonly key: string
  /** Sends a request with the account's key to a server; the lookup that costs one credit when no path is given. */
  call(url: string, path?: string, init?: KeyedRequest): Promise<Response>
  /** Credits used this month. */
  used(): Promise<number>
}

/**
 * Makes an account, on the pro plan if nothing else is asked for, and a key. It is done in this process: each command of the
 * executable takes ten times as long.
 */
export async function createAccount(db: string, options: NewAccount = {}): Promise<SeededAccount> {
  const { plan = "pro", limits = {} } = options
  const made = await withAccounts(db, async (accounts) => {
    const { id } = await accounts.create(plan, plan)
    const { key } = await accounts.createKey({ accountId: id, ...limits })
    return { id, key }
  })
  return {
    ...made,
    call: (url, path = lookUp, init = {}) => fetch(url + path, withKey({ ...init, key: made.key })),
    used: () => withAccounts(db, async ({ show }) => (await show(made.id)).balance.used),
  }
}

/** Opens a data file as a command does, also beside a service. */
async function withAccounts<T>(db: string, use: (accounts: TestAccounts) => Promise<T>): Promise<T> {
  const { store, admin, outbox } = openSqliteStore(db, { timer: keepAliveTimer })
  try {
    const plans = new Map(defaultPlans.map((plan) => [plan.name, plan]))
    const random = { random: systemRandom, auditRandom: systemRandom }
    return await use(
      createTestAccounts({ admin, outbox, clock: systemClock, ...random, plans, prices: new Map() }),
    )
  } finally {
    await store.close()
  }
}

let stores = 0

/** A new data file in `dir` with accounts of the pro plan, a key each. */
export async function seed(dir: string, count: number) {
  const db = join(dir, `store-${stores++}.db`)
  const accounts: SeededAccount[] = []
  for (let i = 0; i < count; i++) accounts.push(await createAccount(db))
  return { db, accounts }
}

/** A new data file in `dir` with one account. */
export async function seedOne(dir: string, options: NewAccount = {}) {
  const db = join(dir, `store-${stores++}.db`)
  return { db, ...(await createAccount(db, options)) }
}

/** Credits that an account was charged. The file must be whole, and calls of one credit each must be in its usage. */
export function chargedOf(db: string, id: string): number {
  const database = new Database(db, { readonly: true })
  try {
    expect(database.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }])
    expect(database.query("PRAGMA foreign_key_check").all()).toEqual([])
    const used = database.query("SELECT used FROM ledger WHERE account_id = ?1").values(id)[0]?.[0] ?? 0
    const usage = database.query(
      "SELECT coalesce(sum(credits), 0), coalesce(sum(calls), 0) FROM all_usage WHERE account_id = ?1",
    )
    // Charges and the usage that is reported are written together or not at all.
    expect(usage.values(id)).toEqual([[used, used]])
    return Number(used)
  } finally {
    database.close()
  }
}
