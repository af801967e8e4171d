import { createId, createKey, hashKey, visiblePrefix } from "../src/accounts/key.ts"
import { systemRandom } from "../src/ports/random.ts"
import { keepAliveTimer } from "../src/ports/timer.ts"
import { openDatabase } from "../src/store/sqlite/open.ts"
import { createSqliteStore } from "../src/store/sqlite/sqlite-store.ts"
import type { AccountRecord, KeyRecord } from "../src/store/store.ts"

/** More credits than any measurement spends, so that every call is a charge and none is refused. */
const plenty = 1_000_000_000_000

/**
 * Fills a new data file through the program's own store.
 * @returns the text of one key for each account
 */
export async function seed(
  file: string,
  { accounts, keysPerAccount }: { accounts: number; keysPerAccount: number },
): Promise<string[]> {
  const database = openDatabase(file)
  const store = createSqliteStore(database, { timer: keepAliveTimer })
  const keys: string[] = []
  // Keys are random, so a million of them touch every page of the tables: those had better stay in memory.
  database.run("PRAGMA cache_size = -1000000")
  // Inside it the store's own transactions are savepoints, so that there is one commit and not a million.
  database.run("BEGIN")
  for (let index = 0; index < accounts; index++) {
    const account = toAccount(createId("acc", systemRandom), Date.now())
    await store.createAccount(account)
    for (let i = 0; i < keysPerAccount; i++) {
      const text = createKey(systemRandom)
      await store.createKey(toKey(createId("key", systemRandom), account, visiblePrefix(text)), {
        hash: hashKey(text),
        prefix: visiblePrefix(text),
        createdMs: account.createdMs,
      })
      if (i === 0) keys.push(text)
    }
  }
  database.run("COMMIT")
  await store.close()
  return keys
}

/** An account that is limited, so that its balance is reckoned with, but never used up. */
export function toAccount(id: string, createdMs: number): AccountRecord {
  return {
    id,
    name: "bench",
    plan: "mega",
    createdMs,
    closedMs: null,
    periodStartMs: createdMs,
    used: 0,
    bonus: plenty,
  }
}

/** A key without restrictions. */
export function toKey(id: string, account: AccountRecord, prefix: string): KeyRecord {
  return {
    id,
    accountId: account.id,
    name: "bench",
    prefix,
    createdMs: account.createdMs,
    expiresMs: null,
    revokedMs: null,
    allowApis: null,
    blockApis: [],
    allowIps: null,
    rateLimit: null,
  }
}
