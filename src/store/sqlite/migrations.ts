import type { Database } from "bun:sqlite"
import { StoreUnusable } from "../store.ts"
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
import step11 from "./migrations/11.sql" with { type: "text" }
import step12 from "./migrations/12.sql" with { type: "text" }
import step13 from "./migrations/13.sql" with { type: "text" }
import schema from "./migrations/schema.sql" with { type: "text" }

/** Entry n takes the schema from version n (`PRAGMA user_version`) to n + 1. Released entries never change. */
export const migrations: readonly string[] = [
  step1,
  step2,
  step3,
  step4,
  step5,
  step6,
  step7,
  step8,
  step9,
  step10,
  step11,
  step12,
  step13,
]

export const schemaVersion = migrations.length

/** Brings a data file to {@link schemaVersion}, all or nothing. Two processes may do so at the same time. */
export function migrate(database: Database, file: string): void {
  if (versionOf(database) === schemaVersion) return
  const run = database.transaction(() => {
    const version = versionOf(database)
    requireKnown(version, file)
    // The steps take a new file four times as long, which is a tenth of the test double's start.
    for (const step of version === 0 ? [schema] : migrations.slice(version)) database.run(step)
    database.run(`PRAGMA user_version = ${schemaVersion}`)
  })
  run.exclusive()
}

/**
 * Refuses the SQLite files of other programs, and leaves them unchanged.
 * @returns the schema version; 0 for an empty file
 * @throws StoreUnusable when the file is not empty, and not a data file that this version knows
 */
export function requireOwnSchema(database: Database, file: string): number {
  // One statement reads one instant: another process may be migrating the file right now.
  const { version, all, own } = database
    .query<{ version: number; all: number; own: number }, []>(
      `SELECT (SELECT user_version FROM pragma_user_version) AS version, count(*) AS "all",
         count(*) FILTER (WHERE type = 'table' AND name IN ('accounts', 'keys', 'secrets', 'meta')) AS own
       FROM sqlite_schema`,
    )
    .get() ?? { version: 0, all: 0, own: 0 }
  requireKnown(version, file)
  const isEmpty = version === 0 && all === 0
  if (!isEmpty && (version < 1 || own !== 4)) throw foreignFile(file)
  return version
}

/** As {@link requireOwnSchema}, but also refuses an empty file. */
export function requireStore(database: Database, file: string): number {
  const version = requireOwnSchema(database, file)
  if (version < 1) throw foreignFile(file)
  return version
}

function foreignFile(file: string): StoreUnusable {
  return new StoreUnusable(`${file} is not a data file of penknife. Name another file.`)
}

function requireKnown(version: number, file: string): void {
  if (version <= schemaVersion) return
  throw new StoreUnusable(
    `${file} was written by a newer penknife (store version ${version}; this one knows ${schemaVersion}). ` +
      "Use that version, or another file.",
  )
}

function versionOf(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0
}
