import type { SQL } from "bun"
import { StoreUnusable } from "../store.ts"
import { sqlStateOf } from "./errors.ts"
import step1 from "./migrations/1.sql" with { type: "text" }
import step2 from "./migrations/2.sql" with { type: "text" }

/** Entry n takes the schema from version n to n + 1. Released entries never change, and only add: see `oldest`. */
const migrations: readonly string[] = [step1, step2]

const schemaVersion = migrations.length
const minServerVersion = 150_000
/** "pk" in octets and a number: no other program waits for this lock. */
const lockNumber = 7_361_001

/**
 * Brings a database to the newest schema, all or nothing; instances that start together do it one after the other. True when the
 * database had no tables before.
 * @throws StoreUnusable when the server is too old, or the database belongs to another program or to a newer version
 */
export async function migrate(sql: SQL, address: string): Promise<boolean> {
  await requireServer(sql, address)
  if ((await readVersion(sql, address)) === schemaVersion) return false
  try {
    return await sql.begin(async (transaction) => {
      await transaction.unsafe("SELECT pg_advisory_xact_lock($1::bigint)", [String(lockNumber)])
      const version = await readVersion(transaction, address)
      for (const step of migrations.slice(version)) await transaction.unsafe(step).simple()
      if (version < schemaVersion) {
        await transaction.unsafe("UPDATE meta SET value = $1::bigint WHERE name = 'schema'", [
          String(schemaVersion),
        ])
      }
      return version === 0
    })
  } catch (cause) {
    if (sqlStateOf(cause) !== "42501") throw cause
    throw new StoreUnusable(
      `The tables of ${address} must be made or changed, which this user may not do. Run 'penknife account list' once ` +
        "as the user that may; docs/postgres-roles.sql has a role for that.",
      { cause },
    )
  }
}

async function requireServer(sql: SQL, address: string): Promise<void> {
  const [row] = await sql.unsafe<ServerVersion[]>(
    `SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS name,
       current_setting('server_encoding') AS encoding`,
  )
  if (row) requireServerVersion(row, address)
}

interface ServerVersion {
  /** Such as 150018 for 15.18. */
  readonly number: number
  readonly name: string
  /** Of the database's texts. */
  readonly encoding: string
}

/** @throws StoreUnusable when the server is too old, or the database cannot keep every text */
export function requireServerVersion({ number, name, encoding }: ServerVersion, address: string): void {
  if (number < minServerVersion) {
    throw new StoreUnusable(`${address} is on PostgreSQL ${name}. Use version 15 or newer.`)
  }
  if (encoding !== "UTF8") {
    throw new StoreUnusable(
      `${address} has the encoding ${encoding}. Create the database with ENCODING 'UTF8' TEMPLATE template0.`,
    )
  }
}

/** The schema's version; 0 for an empty database. */
async function readVersion(sql: SQL, address: string): Promise<number> {
  const [found] = await sql.unsafe<{ tables: number; columns: number }[]>(
    `SELECT count(DISTINCT oid)::integer AS "tables",
       (count(*) FILTER (WHERE (relname, attname) IN (('accounts', 'plan'), ('keys', 'prefix'), ('secrets', 'hash'),
         ('ledger', 'booked'), ('meta', 'name'), ('meta', 'value'))))::integer AS "columns"
     FROM pg_class LEFT JOIN pg_attribute ON attrelid = oid AND NOT attisdropped
     WHERE relkind IN ('r', 'p') AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`,
  )
  if (!found || found.tables === 0) return 0
  if (found.columns < 6) throw foreign(address)
  const rows = await sql.unsafe<{ name: string; value: number }[]>(
    "SELECT name, value::float8 AS value FROM meta WHERE name IN ('schema', 'oldest')",
  )
  const readValue = (name: string) => rows.find((row) => row.name === name)?.value ?? 0
  if (readValue("schema") === 0) throw foreign(address)
  if (readValue("oldest") <= schemaVersion) return Math.min(readValue("schema"), schemaVersion)
  throw new StoreUnusable(
    `${address} was changed by a newer penknife (store version ${readValue("schema")}; this one knows ${schemaVersion}). ` +
      "Use that version, or another database.",
  )
}

function foreign(address: string): StoreUnusable {
  return new StoreUnusable(
    `${address} has tables of another program. Create a database for penknife alone, and name it.`,
  )
}
