import { type KeyRow, toKey } from "../key-rows.ts"
import type { KeyRecord, Store, UsageRow } from "../store.ts"
import type { AccessCache } from "./access-cache.ts"
import type { Connection } from "./connection.ts"
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

  async function findKeyById(id: string): Promise<KeyRecord | null> {
    const [row] = await run<KeyRow>(`${selectKeys} WHERE id = $1::text`, [id])
    return row ? toKey(row) : null
  }

  return {
    findKey: (secretHash) => access.find(secretHash),
    async findKeyAnew(secretHash, accountId) {
      access.forget(accountId)
      return access.find(secretHash)
    },
    charge,
    takeRates,

    async findAccount(id) {
      const [row] = await run<Awaited<ReturnType<Store["findAccount"]>>>(
        `${selectAccounts} WHERE id = $1::text`,
        [id],
      )
      return row ?? null
    },
    listAccounts: () => run(`${selectAccounts} ORDER BY created_ms, id`, []),
    findKeyById,
    async listKeys(accountId) {
      const [where, values] =
        accountId === undefined ? ["", []] : ["WHERE account_id = $1::text", [accountId]]
      return (await run<KeyRow>(`${selectKeys} ${where} ORDER BY created_ms, id`, values)).map(toKey)
    },
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
