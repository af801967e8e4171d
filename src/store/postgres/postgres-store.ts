import { type KeyRow, toKey, toKeyRow } from "../key-rows.ts"
import type { Store, UsageRow } from "../store.ts"
import type { AccessCache } from "./access-cache.ts"
import type { Connection, Parameter } from "./connection.ts"
import { selectAccounts, selectKeys } from "./rows.ts"

interface StoreParts extends Pick<Store, "charge" | "takeRates" | "close"> {
  /** For everything but charges and rates. */
  readonly connection: Connection
  readonly access: AccessCache
  /** A probe waits no longer. */
  readonly limitMs: number
}

/** The store on a PostgreSQL database. Triggers raise an account's revision and tell all instances of a change. */
export function createPostgresStore({
  connection,
  access,
  charge,
  takeRates,
  close,
  limitMs,
}: StoreParts): Store {
  const { run } = connection

  /** Makes an administrative change with one statement. True when it changed something. */
  async function change(statement: string, parameters: readonly Parameter[]): Promise<boolean> {
    const rows = await run(statement, parameters)
    access.clear()
    return rows.length > 0
  }

  return {
    findKey: (secretHash) => access.find(secretHash),
    async findKeyAnew(secretHash, accountId) {
      access.forget(accountId)
      return access.find(secretHash)
    },
    charge,
    takeRates,

    async createAccount({ id, name, plan, createdMs, closedMs, periodStartMs, used, bonus }) {
      await change(
        `WITH made AS (
           INSERT INTO accounts (id, name, plan, created_ms) VALUES ($1::text, $2::text, $3::text, $4::bigint))
         INSERT INTO ledger (account_id, closed_ms, period_start_ms, used, bonus)
         VALUES ($1::text, $5::bigint, $6::bigint, $7::bigint, $8::bigint) RETURNING account_id`,
        [id, name, plan, createdMs, closedMs, periodStartMs, used, bonus],
      )
    },
    async findAccount(id) {
      const [row] = await run<Awaited<ReturnType<Store["findAccount"]>>>(
        `${selectAccounts} WHERE id = $1::text`,
        [id],
      )
      return row ?? null
    },
    listAccounts: () => run(`${selectAccounts} ORDER BY created_ms, id`, []),
    async updateAccount(id, { plan, closedMs }) {
      if (plan !== undefined) {
        await change("UPDATE accounts SET plan = $2::text WHERE id = $1::text RETURNING id", [id, plan])
      }
      if (closedMs !== undefined) {
        const close =
          "UPDATE ledger SET closed_ms = $2::bigint, revision = revision + 1 WHERE account_id = $1::text"
        await change(`${close} RETURNING account_id`, [id, closedMs])
      }
      return (await run("SELECT 1 FROM accounts WHERE id = $1::text", [id])).length === 1
    },
    grant: (accountId, credits, maxBonus) =>
      change(
        `UPDATE ledger SET bonus = bonus + $2::bigint, revision = revision + 1
         WHERE account_id = $1::text AND bonus <= $3::bigint - $2::bigint RETURNING account_id`,
        [accountId, credits, maxBonus],
      ),
    async renewMonth(accountId, { createdMs, periodStartMs }) {
      const [row] = await run<{ renewed: boolean }>(
        "SELECT renew_month($1::text, $2::bigint, $3::bigint) AS renewed",
        [accountId, createdMs, periodStartMs],
      )
      access.clear()
      return row?.renewed === true
    },

    async createKey(key, secret) {
      const { id, accountId, name, prefix, createdMs, expiresMs, revokedMs, rateLimit } = key
      const { allowApis, blockApis, allowIps } = toKeyRow(key)
      await change(
        `WITH made AS (
           INSERT INTO keys (id, account_id, name, prefix, created_ms, expires_ms, revoked_ms, rate_limit, allow_apis, block_apis,
             allow_ips)
           VALUES ($1::text, $2::text, $3::text, $4::text, $5::bigint, $6::bigint, $7::bigint, $8::integer, $9::text, $10::text,
             $11::text))
         INSERT INTO secrets (hash, key_id, created_ms) VALUES ($12::text, $1::text, $13::bigint) RETURNING hash`,
        [
          id,
          accountId,
          name,
          prefix,
          createdMs,
          expiresMs,
          revokedMs,
          rateLimit,
          allowApis,
          blockApis,
          allowIps,
          secret.hash,
          secret.createdMs,
        ],
      )
    },
    async findKeyById(id) {
      const [row] = await run<KeyRow>(`${selectKeys} WHERE id = $1::text`, [id])
      return row ? toKey(row) : null
    },
    async listKeys(accountId) {
      const rows = await run<KeyRow>(
        `${selectKeys} WHERE $1::text IS NULL OR account_id = $1::text ORDER BY created_ms, id`,
        [accountId ?? null],
      )
      return rows.map(toKey)
    },
    rotateKey: (id, { hash, prefix, createdMs }, othersUntilMs) =>
      change(
        `WITH renamed AS (UPDATE keys SET prefix = $2::text WHERE id = $1::text RETURNING id),
           ended AS (
             UPDATE secrets SET until_ms = least(coalesce(until_ms, $3::bigint), $3::bigint)
             WHERE key_id IN (SELECT id FROM renamed))
         INSERT INTO secrets (hash, key_id, created_ms) SELECT $4::text, id, $5::bigint FROM renamed RETURNING hash`,
        [id, prefix, othersUntilMs, hash, createdMs],
      ),
    revokeKey: (id, atMs) =>
      change(
        `UPDATE keys SET revoked_ms = least(coalesce(revoked_ms, $2::bigint), $2::bigint) WHERE id = $1::text RETURNING id`,
        [id, atMs],
      ),

    usage: (accountId, sinceDay) => run<UsageRow>(selectUsage("day >= $2::text"), [accountId, sinceDay]),
    monthUsage: (accountId, periodStartMs) =>
      run<UsageRow>(selectUsage("period_start_ms = $2::bigint"), [accountId, periodStartMs]),
    async ping() {
      await run(
        `INSERT INTO meta (name, value) VALUES ('probes', 1) ON CONFLICT (name) DO UPDATE SET value = meta.value + 1`,
        [],
        limitMs,
      )
    },
    close,
  }
}

function selectUsage(condition: string): string {
  return `SELECT day, api, sum(calls)::float8 AS calls, sum(credits)::float8 AS credits FROM all_usage
    WHERE account_id = $1::text AND ${condition} GROUP BY day, api ORDER BY day DESC, api`
}
