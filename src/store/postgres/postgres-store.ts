import type { AccountRecord, Store, UsageRow } from "../store.ts"
import type { AccessCache } from "./access-cache.ts"
import type { Connection } from "./connection.ts"
import { selectAccounts } from "./rows.ts"

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

  return {
    findKey: (secretHash) => access.find(secretHash),
    async findKeyAnew(secretHash, accountId) {
      access.forget(accountId)
      return access.find(secretHash)
    },
    charge,
    takeRates,

    async findAccount(id) {
      const [row] = await run<AccountRecord>(`${selectAccounts} WHERE id = $1::text`, [id])
      return row ?? null
    },
    monthUsage: (accountId, periodStartMs) =>
      run<UsageRow>(
        `SELECT day, api, sum(calls)::float8 AS calls, sum(credits)::float8 AS credits FROM all_usage
         WHERE account_id = $1::text AND period_start_ms = $2::bigint GROUP BY day, api ORDER BY day DESC, api`,
        [accountId, periodStartMs],
      ),
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
