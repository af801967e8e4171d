/** Stores of builds before version 0.2.0 are refused with what to do, and left unchanged; so are those of newer versions. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { SQL } from "bun"
import { requireServerVersion } from "../../src/store/postgres/migrations.ts"
import { schemaVersion } from "../../src/store/sqlite/migrations.ts"
import { openAnyStore } from "../support/any-store.ts"
import { runCliForTest } from "../support/cli.ts"
import { usePostgres } from "../support/postgres.ts"
import { accountOf } from "../support/store.ts"
import { tempDir } from "../support/temp.ts"

const dir = tempDir()
const postgres = usePostgres()
let files = 0

async function fill(db: string): Promise<string> {
  const { store } = await openAnyStore(db)
  await store.createAccount(accountOf())
  await store.close()
  return db
}

const unreleased =
  "was made by an unreleased build of penknife before version 0.2.0, whose tables this version cannot read. Name a new"

async function makeFile(change: string): Promise<string> {
  const file = await fill(join(dir, `file-${++files}.db`))
  const database = new Database(file)
  database.run(`${change}; PRAGMA journal_mode = DELETE`)
  database.close()
  return file
}
const pknf = "PRAGMA application_id = 0x706b6e66"

test.each([
  ["PRAGMA application_id = 0; PRAGMA user_version = 13", unreleased],
  [`${pknf}; PRAGMA user_version = 1`, unreleased],
  [`${pknf}; PRAGMA user_version = 3`, unreleased],
  ["PRAGMA application_id = 7", "is not a data file of penknife."],
  ["DROP TABLE secrets", "is not a data file of penknife."],
  ["DROP TABLE kept_requests", "is damaged: some of its tables are missing. Restore a backup."],
  [
    `PRAGMA user_version = ${schemaVersion + 1}`,
    `newer penknife (store version ${schemaVersion + 1}; this one knows ${schemaVersion})`,
  ],
])("a data file with '%s' is refused and left unchanged", async (change, problem) => {
  const file = await makeFile(change)
  const before = readFileSync(file)
  const { code, err } = await runCliForTest(["account", "list", "--db", file])
  expect([code, err]).toEqual([1, expect.stringContaining(problem)])
  expect(readFileSync(file)).toEqual(before)
})

test("a data file that is a backup of an unreleased build is not restored", async () => {
  const backup = await makeFile(`${pknf}; PRAGMA user_version = 3`)
  const file = join(dir, "target.db")
  const { code, err } = await runCliForTest(["restore", backup, "--db", file])
  expect([code, err]).toEqual([1, expect.stringContaining(unreleased)])
  expect(await Bun.file(file).exists()).toBe(false)
})

test("a data file has a number of its own, by which the builds before refuse it", async () => {
  using database = new Database(await fill(join(dir, "present.db")))
  expect(database.query("PRAGMA application_id").get()).toEqual({ application_id: 0x706b6e31 })
  expect(database.query("PRAGMA user_version").get()).toEqual({ user_version: schemaVersion })
})

test.each(["version", "schema"])(
  "a database whose version is called '%s' is refused and left unchanged",
  async (name) => {
    const db = await fill(await postgres.createDatabase())
    await using sql = new SQL({ url: db, max: 1 })
    await sql`UPDATE meta SET name = ${name} WHERE name = 'store_version'`
    const describeAll = async () => [
      [...(await sql`SELECT relname, relkind FROM pg_class ORDER BY 1`)],
      [...(await sql`SELECT name, value FROM meta ORDER BY name`)],
    ]
    const before = await describeAll()
    const { code, err } = await runCliForTest(["account", "list", "--db", db])
    expect([code, err]).toEqual([1, expect.stringContaining(unreleased)])
    expect(err).toContain("or go on with the build that made this one.")
    expect(await describeAll()).toEqual(before)
  },
)

test("a server older than 15 is refused", () => {
  const address = "postgres://ann@db:5432/x"
  const old = { number: 140_012, name: "14.12", encoding: "UTF8" }
  expect(() => requireServerVersion(old, address)).toThrow(
    "postgres://ann@db:5432/x is on PostgreSQL 14.12. Use version 15 or newer.",
  )
  requireServerVersion({ number: 150_000, name: "15.0", encoding: "UTF8" }, address)
})
