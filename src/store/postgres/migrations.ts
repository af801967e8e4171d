import type { SQL } from "bun"
import { StoreUnusable } from "../store.ts"
import { sqlStateOf } from "./errors.ts"
import step1 from "./migrations/1.sql" with { type: "text" }
import step2 from "./migrations/2.sql" with { type: "text" }
import step3 from "./migrations/3.sql" with { type: "text" }
import step4 from "./migrations/4.sql" with { type: "text" }
import step5 from "./migrations/5.sql" with { type: "text" }
import step6 from "./migrations/6.sql" with { type: "text" }
import step7 from "./migrations/7.sql" with { type: "text" }
import step8 from "./migrations/8.sql" with { type: "text" }
import step9 from "./migrations/9.sql" with { type: "text" }
import step10 from "./migrations/10.sql" with { type: "text" }

/** Entry n takes the schema from version n to n + 1. Released entries never change, and only add: see `oldest`. */
const migrations: readonly string[] = [step1, step2, step3, step4, step5, step6, step7, step8, step9, step10]

/** The version of the tables that this program makes. */
export const schemaVersion = migrations.length
/** The channel on which a migration tells the running instances the new version, and the oldest that can work with it. */
export const migratedChannel = "penknife_migrated"
const minServerVersion = 150_000
/** "pk" in octets and a number: no other program waits for this lock. */
const lockNumber = 7_361_001

/** What a migration found. */
export interface MigratedSchema {
  /** Whether the database had no tables before. */
  readonly isNew: boolean
  /** Of the tables now: that of this program or, when a newer one has made them, a later one. */
  readonly version: number
}

/**
 * Brings a database to the newest schema, all or nothing; instances that start together do it one after the other.
 * @param steps tests give those of a newer version
 * @throws StoreUnusable when the server is too old, or the database belongs to another program or to a newer version that this
 *   one cannot work beside
 */
export async function migrate(
  sql: SQL,
  address: string,
  steps: readonly string[] = migrations,
): Promise<MigratedSchema> {
  await requireServer(sql, address)
  const found = await readVersion(sql, address, steps.length)
  if (found >= steps.length) return { isNew: false, version: found }
  try {
    return await sql.begin(async (transaction) => {
      await transaction.unsafe("SELECT pg_advisory_xact_lock($1::bigint)", [String(lockNumber)])
      const version = await readVersion(transaction, address, steps.length)
      if (version >= steps.length) return { isNew: false, version }
      for (const step of steps.slice(version)) await transaction.unsafe(step).simple()
      await transaction.unsafe("UPDATE meta SET value = $1::bigint WHERE name = 'schema'", [
        String(steps.length),
      ])
      await transaction.unsafe(
        `SELECT pg_notify('${migratedChannel}', string_agg(value::text, ' ' ORDER BY name DESC)) FROM meta
         WHERE name IN ('schema', 'oldest')`,
      )
      return { isNew: version === 0, version: steps.length }
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
async function readVersion(sql: SQL, address: string, known: number): Promise<number> {
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
  if (readValue("oldest") <= known) return readValue("schema")
  throw new StoreUnusable(
    `${address} was changed by a newer penknife (store version ${readValue("schema")}; this one knows ${known}). ` +
      "Use that version, or another database.",
  )
}

function foreign(address: string): StoreUnusable {
  return new StoreUnusable(
    `${address} has tables of another program. Create a database for penknife alone, and name it.`,
  )
}
