import { openSqliteStore } from "./sqlite/open-sqlite.ts"
import { StoreUnusable } from "./store.ts"
import type { AnyStoreOptions, OpenStore } from "./store-options.ts"

/**
 * Opens the store that `--db` names: a data file, or a PostgreSQL database by its URL.
 * @throws StoreUnusable that says what to change
 */
export async function openStore(db: string, options: AnyStoreOptions): Promise<OpenStore> {
  requireStoreName(db)
  if (!isPostgresUrl(db)) return openSqliteStore(db, options)
  // Loaded only here, so that a start with a data file is no slower.
  const { openPostgresStore } = await import("./postgres/open-postgres.ts")
  return openPostgresStore(db, options)
}

/** Whether a `--db` names a PostgreSQL database. Anything else is a file. */
export function isPostgresUrl(db: string): boolean {
  return /^postgres(ql)?:\/\//i.test(db)
}

/**
 * Refuses a text that looks like an address of a database but is not a known one: it would name a file otherwise, and messages
 * would show its password.
 * @throws StoreUnusable
 */
export function requireStoreName(db: string): void {
  const isAddress = /^[a-z][a-z\d+.-]+:\/\/|^(postgres|postgresql|pg):|\b(password|dbname)\s*=/i.test(db)
  if (!isAddress || isPostgresUrl(db)) return
  throw new StoreUnusable(
    "--db names neither a data file nor a PostgreSQL database. Write a file's name, or postgres://user@host:port/database.",
  )
}
