import type { Database } from "bun:sqlite"
import type { AccessCache } from "./access-cache.ts"
import type { Ledger } from "./ledger.ts"
import type { Write } from "./write.ts"

/** Runs a change in one transaction. What it throws undoes all of it. */
export type Administer = <T>(change: () => T) => Promise<T>

interface AdministerParts {
  readonly ledger: Ledger
  readonly write: Write
  readonly access: Pick<AccessCache, "clear">
}

/** Prepares the way of all changes of accounts and keys, after which no process serves an outdated key. */
export function createAdminister(database: Database, { ledger, write, access }: AdministerParts): Administer {
  const raiseRevision = database.query("UPDATE meta SET value = value + 1 WHERE name = 'revision'")
  return async (change) => {
    const result = await write(() =>
      ledger.transact(() => {
        raiseRevision.run()
        return change()
      }),
    )
    access.clear()
    return result
  }
}
