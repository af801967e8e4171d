/** Stores with the tables of version 1, which steps bring to the present version. `test/data/store-1` has their statements. */
import { Database } from "bun:sqlite"
import { renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { SQL } from "bun"

const read = (name: string) => Bun.file(join(import.meta.dir, "../data/store-1", name)).text()
const [fileTables, databaseFunctions, databaseTables] = await Promise.all(
  ["sqlite-schema.sql", "postgres-functions.sql", "postgres-schema.sql"].map(read),
)

/** Gives a closed data file the tables of version 1, with the rows that they have in common. */
export function makeFileVersion1(file: string): void {
  const older = `${file}.1`
  const database = new Database(older)
  database.run(fileTables ?? "")
  database.run("ATTACH ?1 AS newer", [file])
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM main.sqlite_schema WHERE type = 'table'")
    .all()
  database.run("PRAGMA foreign_keys = OFF")
  for (const { name } of tables) {
    const columns = database
      .query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?1, 'main')")
      .all(name)
      .map((column) => column.name)
      .join(", ")
    database.run(`INSERT OR REPLACE INTO main.${name} (${columns}) SELECT ${columns} FROM newer.${name}`)
  }
  database.run("DETACH newer")
  database.run("PRAGMA application_id = 0x706b6e66; PRAGMA user_version = 1")
  database.close()
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true })
  renameSync(older, file)
}

/** The same for a database that nobody uses. */
export async function makeDatabaseVersion1(url: string): Promise<void> {
  const sql = new SQL({ url, max: 1 })
  const run = async <Row>(statements: string) => [...(await sql.unsafe<Row[]>(statements).simple())]
  try {
    await run(`CREATE SCHEMA older; SET search_path TO older; SET check_function_bodies = off;
      SET session_replication_role = replica`)
    await run(databaseFunctions ?? "")
    await run(databaseTables ?? "")
    const tables = await run<{ name: string; columns: string }>(
      `SELECT relname AS name, string_agg(quote_ident(attname), ', ') AS columns
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
       WHERE relkind = 'r' AND relnamespace = 'older'::regnamespace GROUP BY relname`,
    )
    await run("DELETE FROM meta")
    for (const { name, columns } of tables) {
      await run(`INSERT INTO older.${name} (${columns}) SELECT ${columns} FROM public.${name}`)
    }
    await run(`UPDATE meta SET value = 1 WHERE name = 'version'; DROP SCHEMA public CASCADE;
      ALTER SCHEMA older RENAME TO public`)
  } finally {
    await sql.close()
  }
}
