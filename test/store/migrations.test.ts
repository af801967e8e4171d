/** Data files of every schema version open with this program, with all their data. */

import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { migrate, schemaVersion } from "../../src/store/sqlite/migrations.ts"
import { openDatabase } from "../../src/store/sqlite/open.ts"
import { runCliForTest } from "../support/cli.ts"
import { chargeOf, openTestStore } from "../support/store.ts"
import { tempDir } from "../support/temp.ts"
import { noWaitTimer } from "../support/timer.ts"

const dir = tempDir()
let stores = 0

/** The versions with a fixture, `version-N.sql`. */
const versions = readdirSync(import.meta.dir)
  .flatMap((name) => /^version-(\d+)\.sql$/.exec(name)?.[1] ?? [])
  .map(Number)
  .sort((a, b) => a - b)

test("there is a fixture of every version", () => {
  expect(versions).toEqual(Array.from({ length: schemaVersion }, (_, index) => index + 1))
})

describe.each(versions)("version %d", (version) => {
  test("gets the schema of a new data file", () => {
    const fresh = new Database(":memory:")
    migrate(fresh, "fresh")
    const migrated = openDatabase(storeOf(version))
    expect(columnsOf(migrated)).toEqual(columnsOf(fresh))
    expect(indexesOf(migrated)).toEqual(indexesOf(fresh))
    expect(migrated.query("PRAGMA user_version").get()).toEqual({ user_version: schemaVersion })
    expect(migrated.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
    expect(migrated.query("PRAGMA foreign_key_check").all()).toEqual([])
    migrated.close()
  })

  test("keeps every value of every row, except the rate limits of older versions, which are worth a minute", () => {
    const file = storeOf(version)
    const before = rowsOf(file)
    expect(Object.values(before).flat().length).toBeGreaterThan(10)
    openDatabase(file).close()
    const after = rowsOf(file)
    for (const [table, rows] of Object.entries(before)) {
      if (table === "rates" && version < 4) continue
      expect(after[table]).toHaveLength(rows.length)
      if (table === "accounts") expect(accountsOf(after)).toMatchObject(rows)
      else expect(after[table]).toMatchObject(rows)
    }
  })

  test("is served: keys are found, and charges continue from the account's balance", async () => {
    const store = openTestStore(openDatabase(storeOf(version)), { timer: noWaitTimer })
    const access = await store.findKey("a1".repeat(32))
    expect(access).toMatchObject({ key: { id: "key_1" }, account: { id: "acc_free", used: 640, bonus: 500 } })
    const month = { accountId: "acc_free", allowance: 1_000, periodStartMs: 1_732_678_400_000 }
    expect(await store.charge([chargeOf({ ...month, day: "2024-11-29" })])).toEqual([
      { charged: true, used: 641, bonus: 500, periodStartMs: month.periodStartMs },
    ])
    expect(await store.usage("acc_free", "2024-11-28")).toEqual([
      { day: "2024-11-29", api: "hmac", calls: 1, credits: 1 },
      { day: "2024-11-29", api: "spfvalidator", calls: 8, credits: 40 },
      { day: "2024-11-28", api: "hmac", calls: 600, credits: 600 },
    ])
    await store.close()
  })
})

test("a data file with a newer schema is refused and left unchanged", async () => {
  const file = storeOf(schemaVersion, `PRAGMA user_version = ${schemaVersion + 1}`)
  const before = rowsOf(file)
  const { code, err } = await runCliForTest(["account", "list", "--db", file])
  expect(code).toBe(1)
  expect(err).toContain("newer penknife")
  expect(err).toContain(`store version ${schemaVersion + 1}; this one knows ${schemaVersion}`)
  expect(err).not.toContain("    at ")
  expect(rowsOf(file)).toEqual(before)
})

test("a migration that fails changes nothing, and can be tried again", () => {
  // Step 2 creates a table of this name, after it has altered others.
  const file = storeOf(
    1,
    "CREATE TABLE notices (mine TEXT, of TEXT); INSERT INTO notices VALUES ('kept', 'too')",
  )
  const before = { rows: rowsOf(file), schema: schemaOf(file) }
  expect(() => openDatabase(file)).toThrow(/cannot be used: .*notices/)
  expect({ rows: rowsOf(file), schema: schemaOf(file) }).toEqual(before)
  expect(before.schema.version).toBe(1)
  const database = new Database(file)
  database.run("DROP TABLE notices")
  database.close()
  openDatabase(file).close()
  expect(schemaOf(file).version).toBe(schemaVersion)
})

/** A file with the fixture of a version, after the SQL of `more`. */
function storeOf(version: number, more = ""): string {
  const file = join(dir, `store-${stores++}.db`)
  const database = new Database(file)
  database.run("PRAGMA journal_mode = WAL")
  database.run(readFileSync(join(import.meta.dir, `version-${version}.sql`), "utf8"))
  if (more !== "") database.run(more)
  database.close()
  return file
}

type Rows = Record<string, Record<string, unknown>[]>

function rowsOf(file: string): Rows {
  const database = new Database(file)
  const rows = Object.fromEntries(
    tablesOf(database).map((table): [string, Record<string, unknown>[]] => [
      table,
      database.query<Record<string, unknown>, []>(`SELECT * FROM ${table} ORDER BY 1, 2`).all(),
    ]),
  )
  database.close()
  return rows
}

/** Since version 5 an account has two rows. */
function accountsOf({ accounts = [], ledger = [] }: Rows) {
  return accounts.map((row) => ({ ...row, ...ledger.find(({ account_id }) => account_id === row.id) }))
}

function schemaOf(file: string) {
  const database = new Database(file)
  const sql = database.query("SELECT name, sql FROM sqlite_schema ORDER BY name").all()
  const version = database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version
  database.close()
  return { sql, version }
}

function columnsOf(database: Database) {
  return Object.fromEntries(
    tablesOf(database).map((table) => [table, database.query(`PRAGMA table_xinfo(${table})`).all()]),
  )
}

function indexesOf(database: Database) {
  return database
    .query("SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name")
    .all()
}

function tablesOf(database: Database): string[] {
  return database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => name)
}
