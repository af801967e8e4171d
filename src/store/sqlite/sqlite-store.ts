import type { Database } from "bun:sqlite"
import type { AccountRecord, Store, UsageRow } from "../store.ts"
import { createAccessCache } from "./access-cache.ts"
import { prepareCharges } from "./charges.ts"
import { prepareLedger } from "./ledger.ts"
import { createGuard } from "./open.ts"
import type { NoticeRules } from "./raise.ts"
import { prepareRates } from "./rates.ts"
import {
  type AccessRow,
  type AccountRow,
  accessColumns,
  accountColumns,
  accountTables,
  type KeyRow,
  keyParameters,
  toAccess,
  toAccount,
  toKey,
} from "./rows.ts"
import { createWrite } from "./write.ts"

/** The store on one SQLite file. Owns `database` and closes it. Without rules, charges raise no notices. */
export function createSqliteStore(database: Database, notices: NoticeRules = silence): Store {
  const guarded = createGuard(database)
  const write = createWrite(database)
  const ledger = prepareLedger(database)
  const charge = prepareCharges(database, ledger, notices)
  const findAccess = database.query<AccessRow, [string]>(
    `SELECT ${accessColumns}
     FROM secrets JOIN keys ON keys.id = secrets.key_id JOIN (${accountTables}) ON accounts.id = keys.account_id
     WHERE secrets.hash = ?1`,
  )
  const takeRates = prepareRates(database)
  const access = createAccessCache(database, (hash, revision) => {
    const row = findAccess.get(hash)
    return row && toAccess(row, revision)
  })
  const raiseRevision = database.query("UPDATE meta SET value = value + 1 WHERE name = 'revision'")

  /** An administrative change: all or nothing, and noticed by whoever keeps keys in memory. */
  async function administer<T>(change: () => T): Promise<T> {
    const result = await write(() =>
      ledger.transact(() => {
        raiseRevision.run()
        return change()
      }),
    )
    access.clear()
    return result
  }
  const probe = prepareProbe(database)
  let probing: Promise<void> | null = null

  const findAccount = database.query<AccountRow, [string]>(
    `SELECT ${accountColumns} FROM ${accountTables} WHERE id = ?1`,
  )
  const createAccount = database.transaction((account: AccountRecord) => insertAccount(database, account))
  const findKeyById = database.query<KeyRow, [string]>("SELECT * FROM keys WHERE id = ?1")
  const insertSecret = database.query<unknown, [string, string, number]>(
    "INSERT INTO secrets (hash, key_id, created_ms) VALUES (?1, ?2, ?3)",
  )

  return {
    findKey(secretHash) {
      return guarded(() => access.find(secretHash))
    },
    charge: (charges) => write(() => charge(charges)),
    takeRates: (takes) => write(() => takeRates(takes)),

    async createAccount(account) {
      await write(() => createAccount.immediate(account))
    },
    async findAccount(id) {
      const row = guarded(() => findAccount.get(id))
      return row && toAccount(row)
    },
    async listAccounts() {
      const rows = guarded(() =>
        database
          .query<AccountRow, []>(`SELECT ${accountColumns} FROM ${accountTables} ORDER BY created_ms, id`)
          .all(),
      )
      return rows.map(toAccount)
    },
    async updateAccount(id, { plan, closedMs }) {
      return administer(() => {
        const entry = ledger.read(id)
        if (entry === null) return false
        if (plan !== undefined) database.query("UPDATE accounts SET plan = ?2 WHERE id = ?1").run(id, plan)
        if (closedMs !== undefined) ledger.write(Object.assign(entry, { closedMs }))
        return true
      })
    },
    async grant(accountId, credits, maxBonus) {
      return administer(() => {
        const entry = ledger.read(accountId)
        if (entry === null || entry.bonus > maxBonus - credits) return false
        entry.bonus += credits
        ledger.write(entry)
        return true
      })
    },
    async renewMonth(accountId, { createdMs, periodStartMs }) {
      return administer(() => {
        const entry = ledger.read(accountId)
        if (entry === null) return false
        ledger.closeDay(entry)
        ledger.write(Object.assign(entry, { periodStartMs, used: 0, notified: 0 }))
        database.query("UPDATE accounts SET created_ms = ?2 WHERE id = ?1").run(accountId, createdMs)
        disownUsage(database, accountId, periodStartMs)
        return true
      })
    },

    async createKey(key, secret) {
      await administer(() => {
        database
          .query(
            `INSERT INTO keys (id, account_id, name, prefix, created_ms, expires_ms, revoked_ms, allow_apis,
                 block_apis, allow_ips, rate_limit)
               VALUES ($id, $accountId, $name, $prefix, $createdMs, $expiresMs, $revokedMs, $allowApis,
                 $blockApis, $allowIps, $rateLimit)`,
          )
          .run(keyParameters(key))
        insertSecret.run(secret.hash, key.id, secret.createdMs)
      })
    },
    async findKeyById(id) {
      const row = guarded(() => findKeyById.get(id))
      return row && toKey(row)
    },
    async listKeys(accountId) {
      const rows = guarded(() =>
        database
          .query<KeyRow, [string | null]>(
            "SELECT * FROM keys WHERE ?1 IS NULL OR account_id = ?1 ORDER BY created_ms, id",
          )
          .all(accountId ?? null),
      )
      return rows.map(toKey)
    },
    async rotateKey(id, secret, othersUntilMs) {
      return administer(() => {
        const { changes } = database.query("UPDATE keys SET prefix = ?2 WHERE id = ?1").run(id, secret.prefix)
        if (changes === 0) return false
        database
          .query("UPDATE secrets SET until_ms = min(coalesce(until_ms, ?2), ?2) WHERE key_id = ?1")
          .run(id, othersUntilMs)
        insertSecret.run(secret.hash, id, secret.createdMs)
        return true
      })
    },
    async revokeKey(id, atMs) {
      const { changes } = await administer(() =>
        database
          .query("UPDATE keys SET revoked_ms = min(coalesce(revoked_ms, ?2), ?2) WHERE id = ?1")
          .run(id, atMs),
      )
      return changes === 1
    },

    async usage(accountId, sinceDay) {
      return guarded(() =>
        database
          .query<UsageRow, [string, string]>(
            `SELECT day, api, sum(calls) AS calls, sum(credits) AS credits FROM all_usage
             WHERE account_id = ?1 AND day >= ?2 GROUP BY day, api ORDER BY day DESC, api`,
          )
          .all(accountId, sinceDay),
      )
    },
    async monthUsage(accountId, periodStartMs) {
      return guarded(() =>
        database
          .query<UsageRow, [string, number]>(
            `SELECT day, api, sum(calls) AS calls, sum(credits) AS credits FROM all_usage
             WHERE account_id = ?1 AND period_start_ms = ?2 GROUP BY day, api ORDER BY day DESC, api`,
          )
          .all(accountId, periodStartMs),
      )
    },
    // One for all who ask in the same turn: whoever asks needs no key.
    ping() {
      probing ??= nextTurn()
        .then(() => write(probe))
        .finally(() => {
          probing = null
        })
      return probing
    },
    async close() {
      database.close()
    },
  }
}

/**
 * Finds out whether charges can be booked, by booking something: it finds a store that is locked, full, read-only or corrupt
 * at its tables' roots. Rolled back, or with the value there is, it would write nothing and so find none of that.
 */
function prepareProbe(database: Database): () => void {
  const count = database.query(
    "INSERT INTO meta (name, value) VALUES ('probes', 1) ON CONFLICT DO UPDATE SET value = value + 1",
  )
  const looks = ["accounts", "ledger", "keys", "secrets", "usage"].map((table) =>
    database.query(`SELECT * FROM ${table} LIMIT 1`),
  )
  return database.transaction(() => {
    for (const look of looks) look.get()
    count.run()
  }).immediate
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const silence: NoticeRules = { thresholds: [], now: () => 0, onRaised: () => {} }

function insertAccount(database: Database, account: AccountRecord): void {
  const { id, name, plan, createdMs, closedMs, periodStartMs, used, bonus } = account
  database
    .query("INSERT INTO accounts (id, name, plan, created_ms) VALUES ($id, $name, $plan, $createdMs)")
    .run({ id, name, plan, createdMs })
  database
    .query(
      `INSERT INTO ledger (account_id, closed_ms, period_start_ms, used, bonus)
       VALUES ($id, $closedMs, $periodStartMs, $used, $bonus)`,
    )
    .run({ id, closedMs, periodStartMs, used, bonus })
}

/** Takes what is booked in a month into the month 0, which is none. */
function disownUsage(database: Database, accountId: string, periodStartMs: number): void {
  database
    .query(
      `INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits)
       SELECT account_id, 0, day, api, calls, credits FROM usage WHERE account_id = ?1 AND period_start_ms = ?2
       ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`,
    )
    .run(accountId, periodStartMs)
  database
    .query("DELETE FROM usage WHERE account_id = ?1 AND period_start_ms = ?2")
    .run(accountId, periodStartMs)
}
