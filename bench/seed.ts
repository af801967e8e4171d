import { defaultPlans } from "../src/accounts/plan.ts"
import { grantCredits } from "../src/admin/credits/change-credits.ts"
import { createProgramAccounts } from "../src/admin/program-accounts.ts"
import { createProgramRun } from "../src/admin/program-run.ts"
import { systemClock } from "../src/ports/clock.ts"
import { systemRandom } from "../src/ports/random.ts"
import { keepAliveTimer } from "../src/ports/timer.ts"
import { openDatabase } from "../src/store/sqlite/database-file.ts"
import { createSqliteStores } from "../src/store/sqlite/open-sqlite.ts"
import { prepareOutbox } from "../src/store/sqlite/sqlite-outbox.ts"

/** More credits than a run spends. The accounts stay limited, so that every call is checked against a balance. */
const plenty = 1_000_000_000_000

/**
 * Fills a new data file with accounts on the plan 'mega'.
 * @returns the text of one key of each account
 */
export async function seed(
  file: string,
  { accounts: count, keysPerAccount }: { accounts: number; keysPerAccount: number },
): Promise<string[]> {
  const database = openDatabase(file)
  const { store, admin } = createSqliteStores(database, { timer: keepAliveTimer })
  const parts = {
    store,
    admin,
    outbox: prepareOutbox(database, keepAliveTimer),
    plans: new Map(defaultPlans.map((plan) => [plan.name, plan])),
    clock: systemClock,
    random: systemRandom,
    auditRandom: systemRandom,
    prices: new Map(),
  }
  const accounts = createProgramAccounts(parts)
  const run = createProgramRun(parts)
  const keys: string[] = []
  // A million random keys touch every page of the tables, so the pages stay in memory.
  database.run("PRAGMA cache_size = -1000000")
  // The store's own transactions become savepoints in this one: one commit instead of a million.
  database.run("BEGIN")
  for (let index = 0; index < count; index++) {
    const { id: accountId } = await accounts.create("bench", "mega")
    await run(grantCredits, { id: accountId, credits: plenty })
    for (let i = 0; i < keysPerAccount; i++) {
      const { key } = await accounts.createKey({ accountId })
      if (i === 0) keys.push(key)
    }
  }
  database.run("COMMIT")
  await store.close()
  return keys
}
