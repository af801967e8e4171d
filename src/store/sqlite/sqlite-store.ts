import type { Database } from "bun:sqlite"
import { type AccessRow, type KeyRow, toAccess, toKey, toKeyRow } from "../key-rows.ts"
import type { StoreOptions } from "../open-store.ts"
import type { AccountRecord, Store, UsageRow } from "../store.ts"
import { createAccessCache } from "./access-cache.ts"
import { prepareCharges } from "./charges.ts"
import { createRead } from "./errors.ts"
import { noWatch } from "./file-watch.ts"
import { prepareLedger } from "./ledger.ts"
import { prepareRates } from "./rates.ts"
import { accessColumns, accountColumns, accountTables, keyColumns } from "./rows.ts"
import { createWrite } from "./write.ts"

/** The store on one SQLite connection, which the store owns and closes. */
export function createSqliteStore(
  database: Database,
  { timer, notices }: StoreOptions,
  watch = noWatch,
): Store {
  const read = createRead(database, watch)
  const write = createWrite(database, timer, watch)
  const ledger = prepareLedger(database)
  const charge = prepareCharges(database, ledger, notices)
  const takeRates = prepareRates(database)
  const findAccess = database.query<AccessRow, [string]>(
    `SELECT ${accessColumns}
     FROM secrets JOIN keys ON keys.id = secrets.key_id JOIN (${accountTables}) ON accounts.id = keys.account_id
     WHERE secrets.hash = ?1`,
  )
  const access = createAccessCache(database, timer, (hash, revision) => {
    const row = findAccess.get(hash)
    return row && toAccess(row, revision)
  })
  const raiseRevision = database.query("UPDATE meta SET value = value + 1 WHERE name = 'revision'")

  /** Makes an administrative change in one transaction, so that no process serves an outdated key after it. */
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

  const findAccount = database.query<AccountRecord, [string]>(
    `SELECT ${accountColumns} FROM ${accountTables} WHERE id = ?1`,
  )
  const createAccount = database.transaction((account: AccountRecord) => insertAccount(database, account))
  const findKeyById = database.query<KeyRow, [string]>(`SELECT ${keyColumns} FROM keys WHERE id = ?1`)
  const insertSecret = database.query<unknown, [string, string, number]>(
    "INSERT INTO secrets (hash, key_id, created_ms) VALUES (?1, ?2, ?3)",
  )

  return {
    findKey: (secretHash) => read(() => access.find(secretHash)),
    async findKeyAnew(secretHash) {
      access.clear()
      return read(() => access.find(secretHash))
    },
    charge: (charges) => write(() => charge(charges)),
    takeRates: (takes, now) => write(() => takeRates(takes, now)),

    async createAccount(account) {
      await write(() => createAccount.immediate(account))
    },
    async findAccount(id) {
      return read(() => findAccount.get(id))
    },
    async listAccounts() {
      const query = `SELECT ${accountColumns} FROM ${accountTables} ORDER BY created_ms, id`
      return read(() => database.query<AccountRecord, []>(query).all())
    },
    updateAccount: (id, { plan, closedMs }) =>
      administer(() => {
        const entry = ledger.read(id)
        if (entry === null) return false
        if (plan !== undefined) database.query("UPDATE accounts SET plan = ?2 WHERE id = ?1").run(id, plan)
        if (closedMs !== undefined) ledger.write(Object.assign(entry, { closedMs }))
        return true
      }),
    grant: (accountId, credits, maxBonus) =>
      administer(() => {
        const entry = ledger.read(accountId)
        if (entry === null || entry.bonus > maxBonus - credits) return false
        ledger.write(Object.assign(entry, { bonus: entry.bonus + credits }))
        return true
      }),
    renewMonth: (accountId, { createdMs, periodStartMs }) =>
      administer(() => {
        const entry = ledger.read(accountId)
        if (entry === null) return false
        ledger.closeDay(entry)
        ledger.write(Object.assign(entry, { periodStartMs, used: 0, notified: 0 }))
        database.query("UPDATE accounts SET created_ms = ?2 WHERE id = ?1").run(accountId, createdMs)
        detachUsage(database, accountId, periodStartMs)
        return true
      }),

    async createKey(key, secret) {
      await administer(() => {
        database
          .query(
            `INSERT INTO keys (id, account_id, name, prefix, created_ms, expires_ms, revoked_ms, allow_apis,
               block_apis, allow_ips, rate_limit)
             VALUES ($id, $accountId, $name, $prefix, $createdMs, $expiresMs, $revokedMs, $allowApis,
               $blockApis, $allowIps, $rateLimit)`,
          )
          .run(toKeyRow(key))
        insertSecret.run(secret.hash, key.id, secret.createdMs)
      })
    },
    async findKeyById(id) {
      const row = read(() => findKeyById.get(id))
      return row && toKey(row)
    },
    async listKeys(accountId) {
      const query = `SELECT ${keyColumns} FROM keys WHERE ?1 IS NULL OR account_id = ?1 ORDER BY created_ms, id`
      return read(() => database.query<KeyRow, [string | null]>(query).all(accountId ?? null)).map(toKey)
    },
    rotateKey: (id, secret, othersUntilMs) =>
      administer(() => {
        const { changes } = database.query("UPDATE keys SET prefix = ?2 WHERE id = ?1").run(id, secret.prefix)
        if (changes === 0) return false
        database
          .query("UPDATE secrets SET until_ms = min(coalesce(until_ms, ?2), ?2) WHERE key_id = ?1")
          .run(id, othersUntilMs)
        insertSecret.run(secret.hash, id, secret.createdMs)
        return true
      }),
    revokeKey: (id, atMs) =>
      administer(() => {
        const update = "UPDATE keys SET revoked_ms = min(coalesce(revoked_ms, ?2), ?2) WHERE id = ?1"
        return database.query(update).run(id, atMs).changes === 1
      }),

    async usage(accountId, sinceDay) {
      return read(() => usageWhere(database, "day >= ?2").all(accountId, sinceDay))
    },
    async monthUsage(accountId, periodStartMs) {
      return read(() => usageWhere(database, "period_start_ms = ?2").all(accountId, periodStartMs))
    },
    /** One write for all requests of an event-loop turn, since health checks need no key. */
    ping() {
      probing ??= timer
        .turn()
        .then(() => {
          watch.look()
          return write(probe)
        })
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

/** SQLite notices a full or read-only disk only when a change is committed. The reads find tables damaged at their root. */
function prepareProbe(database: Database): () => void {
  const count = database.query(
    "INSERT INTO meta (name, value) VALUES ('probes', 1) ON CONFLICT DO UPDATE SET value = value + 1",
  )
  const reads = ["accounts", "ledger", "keys", "secrets", "usage"].map((table) =>
    database.query(`SELECT * FROM ${table} LIMIT 1`),
  )
  return database.transaction(() => {
    for (const read of reads) read.get()
    count.run()
  }).immediate
}

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

function usageWhere(database: Database, condition: string) {
  return database.query<UsageRow, [string, string | number]>(
    `SELECT day, api, sum(calls) AS calls, sum(credits) AS credits FROM all_usage
     WHERE account_id = ?1 AND ${condition} GROUP BY day, api ORDER BY day DESC, api`,
  )
}

/** Moves the usage of a month to month 0, which means no month. */
function detachUsage(database: Database, accountId: string, periodStartMs: number): void {
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
