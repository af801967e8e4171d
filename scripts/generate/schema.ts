import { Database } from "bun:sqlite"
import { migrations } from "../../src/store/sqlite/migrations.ts"

/** The statements that give a new data file at once what all steps of its migration would give it. */
export function printSqliteSchema(): string {
  using database = new Database(":memory:")
  for (const step of migrations) database.run(step)
  const made = database
    .query<{ sql: string; type: string; name: string }, []>(
      "SELECT sql, type, name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid",
    )
    .all()
  const rows = made.flatMap(({ type, name }) => (type === "table" ? insertsOf(database, name) : []))
  return `-- Made by 'bun run generate' from the numbered files beside it: what a new data file gets.\n\n${[
    ...made.map(({ sql }) => sql),
    ...rows,
  ].join(";\n")};\n`
}

function insertsOf(database: Database, table: string): string[] {
  return database
    .query<Record<string, unknown>, []>(`SELECT * FROM ${table}`)
    .all()
    .map((row) => `INSERT INTO ${table} VALUES (${Object.values(row).map(toLiteral).join(", ")})`)
}

function toLiteral(value: unknown): string {
  if (typeof value === "number") return String(value)
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`
  throw new Error(`a new data file cannot hold ${String(value)}`)
}
