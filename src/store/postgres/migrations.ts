import type { SQL } from "bun"
import { StoreUnusable } from "../store.ts"
import step1 from "./migrations/1.sql" with { type: "text" }

/** Entry n takes the schema from version n to n + 1. Released entries never change, and only add: see `oldest`. */
const migrations: readonly string[] = [step1]

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
  return sql.begin(async (transaction) => {
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
}

async function requireServer(sql: SQL, address: string): Promise<void> {
  const [row] = await sql.unsafe<{ number: number; name: string }[]>(
    `SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS name`,
  )
  if (row && row.number >= minServerVersion) return
  throw new StoreUnusable(`${address} is PostgreSQL ${row?.name}. Use version 15 or newer.`)
}

/** The schema's version; 0 for an empty database. */
async function readVersion(sql: SQL, address: string): Promise<number> {
  const [tables] = await sql.unsafe<{ all: number; own: number }[]>(
    `SELECT count(*)::integer AS "all",
       (count(*) FILTER (WHERE tablename IN ('accounts', 'keys', 'secrets', 'meta', 'ledger')))::integer AS own
     FROM pg_tables WHERE schemaname = current_schema()`,
  )
  if (!tables || tables.all === 0) return 0
  if (tables.own < 5) throw foreign(address)
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
