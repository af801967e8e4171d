import { Database } from "bun:sqlite"
import { lastKeyOf, type SchemaStep, toFillStatement, unfinishedName } from "../schema-step.ts"
import { StoreUnusable } from "../store.ts"
import schema from "./schema.sql" with { type: "text" }

/** Entry n takes a data file from version n + 1 to n + 2. Released entries never change. */
export const schemaSteps: readonly SchemaStep[] = []

const tables = [...schema.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name)

/** The version of the tables that this program makes. */
export const schemaVersion = schemaSteps.length + 1

/** "pkn1" in the header says that a file is a data file of penknife (https://sqlite.org/pragma.html#pragma_application_id). */
const applicationId = 0x706b6e31
/** Files of builds before version 0.2.0 have none of these, or "pknf". */
const unreleasedIds = [0, 0x706b6e66]
/** Other processes may write for this long after each batch of rows. Milliseconds. */
const pauseMs = 5

interface MigrationOptions {
  /** Tests add a step to the next version. */
  readonly steps?: readonly SchemaStep[]
  /** Blocks the process, which does nothing else while it opens a file. */
  readonly pause?: (ms: number) => void
}

/**
 * Makes the tables of an empty file, or brings those of an older version to this one. Other processes may work on the file
 * meanwhile, and several may migrate it at the same time.
 * @throws StoreUnusable for the files that {@link requireOwnSchema} refuses
 */
export function migrate(
  database: Database,
  file: string,
  { steps = schemaSteps, pause = Bun.sleepSync }: MigrationOptions = {},
): void {
  const newest = steps.length + 1
  if (requireOwnSchema(database, file, newest) === 0) {
    const begin = database.transaction(() => {
      if (requireOwnSchema(database, file, newest) > 0) return
      database.run(schema)
      markVersion(database, newest)
    })
    begin.exclusive()
  }
  for (const [index, step] of steps.entries()) takeStep(database, step, { to: index + 2, pause })
}

function markVersion(database: Database, version: number): void {
  database.run(`PRAGMA application_id = ${applicationId}`)
  database.run(`PRAGMA user_version = ${version}`)
}

/** Takes one step, or the rest of it. */
function takeStep(
  database: Database,
  { change, fills = [], indexes = [] }: SchemaStep,
  { to, pause }: { readonly to: number; readonly pause: (ms: number) => void },
): void {
  const alter = database.transaction(() => {
    if (versionOf(database) >= to) return
    database.run(change)
    database.run("INSERT INTO meta (name, value) VALUES (?1, ?2)", [unfinishedName, to])
    markVersion(database, to)
  })
  if (versionOf(database) < to) alter.exclusive()
  const isUnfinished = database.query("SELECT 1 FROM meta WHERE name = ?1 AND value = ?2")
  if (isUnfinished.get(unfinishedName, to) === null) return

  for (const fill of fills) {
    const setNext = database.query<{ key: string }, [string]>(toFillStatement(fill, "?1"))
    for (let after: string | null = ""; after !== null; ) {
      after = lastKeyOf(setNext.all(after))
      pause(pauseMs)
    }
  }
  for (const { name, on, isUnique = false } of indexes)
    database.run(`CREATE ${isUnique ? "UNIQUE " : ""}INDEX IF NOT EXISTS ${name} ON ${on}`)
  database.run("DELETE FROM meta WHERE name = ?1 AND value = ?2", [unfinishedName, to])
}

/**
 * Refuses files of other programs and versions, and leaves them unchanged.
 * @returns the version of its tables; 0 for an empty file
 * @throws StoreUnusable when the file is not empty, and not a data file that this version knows
 */
export function requireOwnSchema(database: Database, file: string, known = schemaVersion): number {
  // One statement reads one instant: another process may be migrating the file right now.
  const header = database
    .query<{ version: number; id: number; all: number; own: number; present: number }, [string]>(
      `SELECT (SELECT user_version FROM pragma_user_version) AS version,
         (SELECT application_id FROM pragma_application_id) AS id, count(*) AS "all",
         count(*) FILTER (WHERE type = 'table' AND name IN ('accounts', 'keys', 'secrets', 'meta')) AS own,
         count(*) FILTER (WHERE type = 'table' AND name IN (SELECT value FROM json_each(?1))) AS present
       FROM sqlite_schema`,
    )
    .get(JSON.stringify(tables))
  const { version, id, all, own, present } = header ?? { version: 0, id: 0, all: 0, own: 0, present: 0 }
  if (version === 0 && all === 0) return 0
  if (own !== 4 || version < 1) throw foreignFile(file)
  if (unreleasedIds.includes(id))
    throw new StoreUnusable(
      `${file} was made by an unreleased build of penknife before version 0.2.0, whose tables this version cannot read. ` +
        "Name a new file, or go on with the build that made this one.",
    )
  if (id !== applicationId) throw foreignFile(file)
  if (version === schemaVersion && present < tables.length)
    throw new StoreUnusable(`${file} is damaged: some of its tables are missing. Restore a backup.`)
  if (version <= known) return version
  throw new StoreUnusable(
    `${file} was written by a newer penknife (store version ${version}; this one knows ${known}). ` +
      "Use that version, or another file.",
  )
}

/** Whether the tables of a file that exists are those of an older version. False for a file that cannot be read. */
export function isOutdated(file: string, newest: number): boolean {
  try {
    using database = new Database(file, { readonly: true })
    const version = versionOf(database)
    return version > 0 && version < newest
  } catch {
    // Opening it says why.
    return false
  }
}

/**
 * Works like {@link requireOwnSchema}, but also refuses an empty file.
 * @returns the version of its tables
 */
export function requireStore(database: Database, file: string): number {
  const version = requireOwnSchema(database, file)
  if (version < 1) throw foreignFile(file)
  return version
}

function foreignFile(file: string): StoreUnusable {
  return new StoreUnusable(`${file} is not a data file of penknife. Name another file.`)
}

function versionOf(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0
}
