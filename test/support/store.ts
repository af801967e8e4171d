import type { Database } from "bun:sqlite"
import { afterAll } from "bun:test"
import { join } from "node:path"
import { openDatabase } from "../../src/store/sqlite/database-file.ts"
import { createSqliteStores } from "../../src/store/sqlite/open-sqlite.ts"
import type { AccountRecord, Charge, KeyRecord } from "../../src/store/store.ts"
import { changesOf, type TestChanges } from "./changes.ts"
import { tempDir } from "./temp.ts"

/** An open account on the free plan with zero usage. */
export function accountOf(change: Partial<AccountRecord> = {}): AccountRecord {
  const times = { createdMs: 1_000, closedMs: null, periodStartMs: 1_000 }
  return { id: "acc_1", name: "Ä & Co", plan: "free", ...times, used: 0, bonus: 0, ...change }
}

/** A key without limits. */
export function keyOf(change: Partial<KeyRecord> = {}): KeyRecord {
  const names = { id: "key_1", accountId: "acc_1", name: "ci", prefix: "pk-abcdef" }
  const times = { createdMs: 1_000, expiresMs: null, revokedMs: null }
  return { ...names, ...times, allowApis: null, blockApis: [], allowIps: null, rateLimit: null, ...change }
}

/** A charge for one call of hmac. */
export function chargeOf({ credits = 1, ...change }: Partial<Charge> & { credits?: number } = {}): Charge {
  const items = [{ api: "hmac", calls: 1, credits }]
  return { accountId: "acc_1", items, allowance: 10, periodStartMs: 1_000, day: "2025-01-01", ...change }
}

/** The store on a database, with the changes that tests make. */
export function openTestStore(
  ...parameters: Parameters<typeof createSqliteStores>
): ReturnType<typeof createSqliteStores>["store"] & TestChanges {
  const { store, admin } = createSqliteStores(...parameters)
  return { ...store, ...changesOf(admin) }
}

/** Opens databases, each in a new file unless named, and closes them after the test file. */
export function useDatabases(): (file?: string) => Database {
  const opened: Database[] = []
  afterAll(() => {
    for (const database of opened) database.close()
  })
  const dir = tempDir()
  return (file = join(dir, `${opened.length}.db`)) => {
    const database = openDatabase(file)
    opened.push(database)
    return database
  }
}
