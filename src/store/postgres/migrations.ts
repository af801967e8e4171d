import type { ReservedSQL, SQL } from "bun"
import type { Timer } from "../../apis/contract.ts"
import type { Run } from "../rows.ts"
import { lastKeyOf, type NewIndex, type SchemaStep, toFillStatement, unfinishedName } from "../schema-step.ts"
import { StoreUnusable } from "../store.ts"
import { sqlStateOf } from "./errors.ts"
import functions from "./functions.sql" with { type: "text" }
import schema from "./schema.sql" with { type: "text" }

/** Entry n takes a database from version n + 1 to n + 2. Released entries never change, and only add: see `oldest`. */
export const schemaSteps: readonly SchemaStep[] = []
/** The version of the tables that this program makes. */
export const schemaVersion = schemaSteps.length + 1
/** The channel on which a migration tells the running instances the new version, and the oldest that can work with it. */
export const migratedChannel = "penknife_migrated"
const minServerVersion = 150_000
/** "pk" in bytes and a number: no other program waits for this lock. */
const lockNumber = 7_361_001

/**
 * How long a step waits for the locks of a table. Charges queue behind it, so it is shorter than the 200 ms after which the
 * database gives up a charge.
 */
const lockTimeoutMs = 100
/** The pauses between attempts double from the first to the longest. All attempts take a minute together. */
const lockPauseMs = { first: 200, longest: 5_000 }
const lockAttempts = 15
/** How long an index waits for transactions that began before it. It locks out nobody meanwhile. */
const indexTimeoutMs = 600_000
/** Other sessions get their turn for this long after each batch of rows. */
const batchPauseMs = 5
/** The pauses of an instance that waits until another one has made the tables, and how many there are. */
const turnPauseMs = 100
const turnAttempts = 6_000

/** The result of a migration. */
export interface MigratedSchema {
  /** Whether the database had no tables before. */
  readonly isNew: boolean
  /** The version of the tables now: that of this program, or a later one that a newer program has made. */
  readonly version: number
}

/** The version of the tables, and that of the oldest program that can work with them. */
export interface TableVersions {
  readonly version: number
  /** The version that a program must know at least; 0 if any can work with them. */
  readonly oldest: number
}

/** Reads the versions of tables that are migrated. */
export async function readTableVersions(run: Run): Promise<TableVersions> {
  const select = "SELECT name, value::float8 AS value FROM meta WHERE name IN ('store_version', 'oldest')"
  const rows = await run<{ name: string; value: number }>(select, [])
  const { store_version: version = 0, oldest = 0 } = Object.fromEntries(
    rows.map(({ name, value }) => [name, value]),
  )
  return { version, oldest }
}

interface MigrationOptions {
  readonly timer: Timer
  /** Tests add a step to the next version. */
  readonly steps?: readonly SchemaStep[]
}

/**
 * Makes the tables of an empty database, or brings those of an older version to this one while other instances work on them.
 * Instances that start together do it one after the other.
 * @throws StoreUnusable when the server is too old, when the database belongs to another program or to a newer version that
 *   this one cannot share it with, or when other sessions kept a lock
 */
export async function migrate(sql: SQL, address: string, { timer, steps = schemaSteps }: MigrationOptions) {
  const newest = steps.length + 1
  await requireServer(sql, address)
  const found = await readSchema(sql, address, newest)
  if (found.version > newest || (found.version === newest && found.unfinished === 0))
    return { isNew: false, version: found.version }
  // A reserved connection is never replaced by a new one, which would not have the lock.
  const connection = await sql.reserve()
  const migration: Migration = { connection, address, timer, newest }
  try {
    await waitForTurn(migration)
    const { version } = await readSchema(connection, address, newest)
    if (version === 0) await makeTables(migration)
    for (const [index, step] of steps.entries()) await takeStep(migration, step, index + 2)
    return { isNew: version === 0, version: Math.max(version, newest) }
  } catch (cause) {
    if (sqlStateOf(cause) !== "42501") throw cause
    throw new StoreUnusable(
      `The tables of ${address} must be made or changed, which this user may not do. Run 'penknife account list' once ` +
        "as the user that may; docs/postgres-roles.sql has a role for that.",
      { cause },
    )
  } finally {
    await connection
      .unsafe("RESET lock_timeout; SELECT pg_advisory_unlock_all()")
      .simple()
      .catch(() => {})
    connection.release()
  }
}

interface Migration {
  readonly connection: ReservedSQL
  readonly address: string
  readonly timer: Timer
  /** The version to migrate to. */
  readonly newest: number
}

/** Takes the lock of migrations. A wait for it in the database would block CREATE INDEX CONCURRENTLY. */
async function waitForTurn({ connection, address, timer }: Migration): Promise<void> {
  for (let attempt = 0; attempt < turnAttempts; attempt++) {
    const [row] = await connection.unsafe<{ isMine: boolean }[]>(
      `SELECT pg_try_advisory_lock($1::bigint) AS "isMine"`,
      [String(lockNumber)],
    )
    if (row?.isMine) return
    await pause(timer, turnPauseMs)
  }
  throw new StoreUnusable(
    `Another instance has been changing the tables of ${address} for ten minutes. Start this one when that has ended.`,
  )
}

/** Makes the tables of an empty database. */
async function makeTables(migration: Migration): Promise<void> {
  const { connection, address, newest } = migration
  await transact(migration, async (run) => {
    if ((await readSchema(connection, address, newest)).version > 0) return
    await makeFunctions(run)
    await run(schema)
    await run(`INSERT INTO meta VALUES ('store_version', ${newest})`)
  })
}

/** Makes or replaces the functions. Their bodies name tables that may not be there yet. */
async function makeFunctions(run: RunScript): Promise<void> {
  await run("SET LOCAL check_function_bodies = off")
  await run(functions)
}

/** Takes one step, or the rest of it. */
async function takeStep(migration: Migration, step: SchemaStep, to: number): Promise<void> {
  const { connection, address, timer, newest } = migration
  const { change, fills = [], indexes = [] } = step
  if ((await readSchema(connection, address, newest)).version < to)
    await transact(migration, async (run) => {
      await makeFunctions(run)
      await run(change)
      await requireNoneOlder(migration)
      await run(`UPDATE meta SET value = ${to} WHERE name = 'store_version';
        INSERT INTO meta VALUES ('${unfinishedName}', ${to});
        SELECT pg_notify('${migratedChannel}', string_agg(value::text, ' ' ORDER BY name DESC)) FROM meta
          WHERE name IN ('store_version', 'oldest')`)
    })
  if ((await readSchema(connection, address, newest)).unfinished !== to) return

  await connection.unsafe(`SET lock_timeout = ${lockTimeoutMs}`)
  for (const fill of fills) {
    const setNext = toFillStatement(fill, "$1::text", "FOR NO KEY UPDATE")
    for (let after: string | null = ""; after !== null; ) {
      const last: string = after
      const rows = await untilLocked(migration, () => connection.unsafe<{ key: string }[]>(setNext, [last]))
      after = lastKeyOf(rows)
      await pause(timer, batchPauseMs)
    }
  }
  await connection.unsafe(`SET lock_timeout = ${indexTimeoutMs}`)
  for (const index of indexes) await buildIndex(migration, index)
  await connection.unsafe(`DELETE FROM meta WHERE name = '${unfinishedName}'`)
}

/** A step that sets `oldest` is taken back while an older program is connected, which its `application_name` shows. */
async function requireNoneOlder({ connection, address }: Migration): Promise<void> {
  const [found] = await connection.unsafe<{ count: number; places: string | null }[]>(
    `SELECT count(*)::integer AS count, string_agg(DISTINCT host(client_addr), ', ') AS places FROM pg_stat_activity, meta
     WHERE name = 'oldest' AND datname = current_database() AND pid <> pg_backend_pid()
       AND substring(application_name FROM '^penknife tables ([0-9]+)')::integer < value`,
  )
  if (!found?.count) return
  throw new StoreUnusable(
    `An older version of penknife works on ${address} (${found.count} connections${found.places ? ` from ${found.places}` : ""}), ` +
      "and could not work with the tables of this one. Stop it everywhere, then start this one. Nothing was changed.",
  )
}

/** Builds an index while other sessions change the table. */
async function buildIndex({ connection, address }: Migration, index: NewIndex): Promise<void> {
  const { name, on, isUnique = false } = index
  try {
    await dropInvalid(connection, name)
    await connection.unsafe(
      `CREATE ${isUnique ? "UNIQUE " : ""}INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${on}`,
    )
  } catch (cause) {
    if (sqlStateOf(cause) !== "55P03") throw cause
    throw lockedOut(`The index ${name} of ${address} could not be built`, "ten minutes")
  }
}

/** An interrupted CREATE INDEX CONCURRENTLY leaves an index that is not used. */
async function dropInvalid(connection: SQL, name: string): Promise<void> {
  const found = await connection.unsafe(
    "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1::text) AND NOT indisvalid",
    [name],
  )
  if (found.length > 0) await connection.unsafe(`DROP INDEX CONCURRENTLY ${name}`)
}

/** Runs statements without parameters in the transaction under way. */
type RunScript = (statements: string) => Promise<unknown>

/** Runs a short transaction, until it gets its locks. */
function transact(migration: Migration, work: (run: RunScript) => Promise<void>): Promise<void> {
  const { connection } = migration
  const run: RunScript = (statements) => connection.unsafe(statements).simple()
  return untilLocked(migration, async () => {
    await run(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`)
    try {
      await work(run)
      await run("COMMIT")
    } catch (cause) {
      await run("ROLLBACK")
      throw cause
    }
  })
}

/** Tries again, as long as other sessions keep the work from its locks. */
async function untilLocked<T>({ address, timer }: Migration, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < lockAttempts; attempt++) {
    if (attempt > 0) await pause(timer, Math.min(lockPauseMs.first * 2 ** (attempt - 1), lockPauseMs.longest))
    try {
      return await work()
    } catch (cause) {
      if (sqlStateOf(cause) !== "55P03") throw cause
    }
  }
  throw lockedOut(`The tables of ${address} could not be changed`, "a minute")
}

function lockedOut(problem: string, time: string): StoreUnusable {
  return new StoreUnusable(
    `${problem} for ${time}, because of another session. Look for it in pg_stat_activity, and start ` +
      "again when it has ended: the update goes on where it stopped.",
  )
}

function pause(timer: Timer, ms: number): Promise<void> {
  return new Promise((resolve) => timer.after(ms, resolve))
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
  /** The encoding of the database's texts. */
  readonly encoding: string
}

/** @throws StoreUnusable when the server is too old, or the database cannot keep every text */
export function requireServerVersion({ number, name, encoding }: ServerVersion, address: string): void {
  if (number < minServerVersion)
    throw new StoreUnusable(`${address} is on PostgreSQL ${name}. Use version 15 or newer.`)
  if (encoding !== "UTF8")
    throw new StoreUnusable(
      `${address} has the encoding ${encoding}. Create the database with ENCODING 'UTF8' TEMPLATE template0.`,
    )
}

/**
 * The version, 0 for an empty database, and the step whose fills and indexes are still to be made, 0 without one.
 * @throws StoreUnusable for tables of another program, or of a version that this one cannot work with
 */
async function readSchema(sql: SQL, address: string, known: number) {
  const [found] = await sql.unsafe<{ tables: number; columns: number }[]>(
    `SELECT count(DISTINCT oid)::integer AS "tables",
       (count(*) FILTER (WHERE (relname, attname) IN (('accounts', 'plan'), ('keys', 'prefix'), ('secrets', 'hash'),
         ('ledger', 'booked'), ('meta', 'name'), ('meta', 'value'))))::integer AS "columns"
     FROM pg_class LEFT JOIN pg_attribute ON attrelid = oid AND NOT attisdropped
     WHERE relkind IN ('r', 'p') AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`,
  )
  if (!found || found.tables === 0) return { version: 0, unfinished: 0 }
  if (found.columns < 6) throw foreign(address)
  const rows = await sql.unsafe<{ name: string; value: number }[]>(
    "SELECT name, value::float8 AS value FROM meta WHERE name IN ('store_version', 'oldest', 'version', 'schema', $1::text)",
    [unfinishedName],
  )
  const values = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  const { store_version: version = 0, oldest = 0, [unfinishedName]: unfinished = 0 } = values
  if (version > 0 && oldest <= known) return { version, unfinished }
  if (version > 0)
    throw new StoreUnusable(
      `${address} was changed by a newer penknife (store version ${version}; this one knows ${known}). ` +
        "Use that version, or another database.",
    )
  // Builds before version 0.2.0 wrote their version under these names.
  if (values.version === undefined && values.schema === undefined) throw foreign(address)
  throw new StoreUnusable(
    `${address} was made by an unreleased build of penknife before version 0.2.0, whose tables this version cannot read. ` +
      "Name a new database, or go on with the build that made this one.",
  )
}

function foreign(address: string): StoreUnusable {
  return new StoreUnusable(
    `${address} has tables of another program. Create a database for penknife alone, and name it.`,
  )
}
