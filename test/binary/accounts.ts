import { Database } from "bun:sqlite"
import { expect } from "bun:test"
import { join } from "node:path"
import { runJson } from "./support.ts"

export interface SeededAccount {
  readonly id: string
  readonly key: string
}

let stores = 0

/** A store with accounts of the pro plan, a key each. */
export async function seed(dir: string, count: number) {
  const db = join(dir, `store-${stores++}.db`)
  const accounts: SeededAccount[] = []
  for (let i = 0; i < count; i++) {
    const { id } = await runJson("account", "create", "--name", `a${i}`, "--plan", "pro", "--db", db)
    const { key } = await runJson("key", "create", "--account", id, "--db", db)
    accounts.push({ id, key })
  }
  return { db, accounts }
}

/** The same with one account. */
export async function seedOne(dir: string) {
  const { db, accounts } = await seed(dir, 1)
  const [{ id, key }] = accounts as [SeededAccount]
  return { db, id, key }
}

/** What an account was charged in all, which has to be what is reported as its usage. */
export function chargedOf(db: string, id: string): number {
  const database = new Database(db, { readonly: true })
  try {
    const account = database
      .query<{ used: number }, [string]>("SELECT used FROM ledger WHERE account_id = ?1")
      .get(id)
    const usage = database
      .query<{ credits: number | null }, [string]>(
        "SELECT sum(credits) AS credits FROM all_usage WHERE account_id = ?1",
      )
      .get(id)
    // What was charged and what is reported as usage are written together or not at all.
    expect(usage?.credits ?? 0).toBe(account?.used ?? 0)
    return account?.used ?? 0
  } finally {
    database.close()
  }
}

export function integrityOf(db: string): unknown {
  const database = new Database(db)
  const result = database.query("PRAGMA integrity_check").get()
  database.close()
  return result
}
