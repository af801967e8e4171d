import { countReplay, selectAccounts, selectMonthUsage, selectReplay } from "../rows.ts"
import type { AccountRecord, CallReplay, Store, UsageRow } from "../store.ts"
import type { AccessCache } from "./access-cache.ts"
import type { Connection } from "./connection.ts"

interface StoreParts extends Pick<Store, "charge" | "takeRates" | "ping" | "close"> {
  /** For everything but calls and probes. */
  readonly connection: Connection
  readonly access: AccessCache
}

/** The store on a PostgreSQL database. Triggers raise an account's revision and tell all instances of a change. */
export function createPostgresStore(parts: StoreParts): Store {
  const { access, charge, takeRates, ping, close } = parts
  const { run } = parts.connection
  return {
    findKey: (secretHash) => access.find(secretHash),
    async findKeyAnew(secretHash, accountId) {
      access.forget(accountId)
      return access.find(secretHash)
    },
    charge,
    takeRates,

    async findReplay(accountId, keyHash, sinceMs) {
      const [row] = await run<CallReplay>(selectReplay, [accountId, keyHash, sinceMs])
      return row ?? null
    },
    async countReplay(accountId, keyHash, most) {
      const rows = await run(countReplay, [accountId, keyHash, most])
      return rows.length > 0
    },
    async findAccount(id) {
      const [row] = await run<AccountRecord>(`${selectAccounts} WHERE id = $1::text`, [id])
      return row ?? null
    },
    monthUsage: (accountId, periodStartMs) => run<UsageRow>(selectMonthUsage, [accountId, periodStartMs]),
    ping,
    close,
  }
}
