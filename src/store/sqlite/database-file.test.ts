import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { chmodSync, copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../../test/support/temp.ts"
import { StoreUnusable } from "../store.ts"
import { logState } from "./checkpoints.ts"
import { openDatabase } from "./database-file.ts"

const dir = tempDir()
const rightsOf = (file: string) => (statSync(file).mode & 0o777).toString(8)

test("only its owner may read a new file and its log, whatever the umask", () => {
  const file = join(dir, "new.db")
  const before = process.umask(0)
  using _database = openDatabase(file)
  process.umask(before)
  expect([file, `${file}-wal`, `${file}-shm`].map(rightsOf)).toEqual(["600", "600", "600"])
})

test("rights that an operator has set stay", () => {
  const file = join(dir, "given.db")
  openDatabase(file).close()
  chmodSync(file, 0o640)
  openDatabase(file).close()
  expect(rightsOf(file)).toBe("640")
})

test.each([0, 1, 4])("a file of another program with version %d is refused and left unchanged", (version) => {
  const file = join(dir, `other-${version}.db`)
  const other = new Database(file)
  other.run("CREATE TABLE notes (text)")
  other.run(`PRAGMA user_version = ${version}`)
  other.close()
  const before = readFileSync(file)
  expect(() => openDatabase(file)).toThrow(StoreUnusable)
  expect(() => openDatabase(file)).toThrow(`${file} is not a data file of penknife.`)
  expect(readFileSync(file)).toEqual(before)
})

test("an empty file becomes a data file", () => {
  const file = join(dir, "empty.db")
  writeFileSync(file, "")
  openDatabase(file).close()
  expect(() => openDatabase(file, { mustExist: true }).close()).not.toThrow()
})

test("what is not a database, is missing or cannot be created is named", () => {
  const [text, missing, nowhere] = ["text.db", "missing.db", join("no", "folder.db")].map((name) =>
    join(dir, name),
  ) as [string, string, string]
  writeFileSync(text, "this is not a database, but it is long enough to look like a file\n".repeat(20))
  expect(() => openDatabase(text)).toThrow(/text\.db cannot be used: file is not a database\. Name another/)
  expect(() => openDatabase(missing, { mustExist: true })).toThrow(`There is no data file ${missing}.`)
  expect(existsSync(missing)).toBe(false)
  expect(() => openDatabase(nowhere)).toThrow(
    `The data file ${nowhere} cannot be opened. There is no folder ${join(dir, "no")}. Make it, or name another file with --db.`,
  )
})

test("a start writes and flushes what a process left in the log; a command leaves it there", () => {
  const file = join(dir, "left.db")
  using before = openDatabase(file)
  before.run("CREATE TABLE kept (value INTEGER)")
  const copy = (name: string) => {
    const to = join(dir, name)
    for (const end of ["", "-wal"]) copyFileSync(file + end, to + end)
    return to
  }
  const pages = (database: ReturnType<typeof openDatabase>) => {
    const { log, checkpointed } = logState(database)()
    database.close()
    return log - checkpointed
  }
  expect(pages(openDatabase(copy("command.db")))).toBeGreaterThan(0)
  expect(pages(openDatabase(copy("start.db"), { isServed: true }))).toBe(0)
})

test("copies of an image have its rows, prepare statements when they run, and change neither it nor each other", () => {
  const seed = openDatabase(":memory:")
  seed.run("INSERT INTO meta (name, value) VALUES ('seeded', 1)")
  const image = seed.serialize()
  const copies = [1, 2].map(() => openDatabase(":memory:", { image }))
  const count = "SELECT count(*) AS count FROM meta WHERE name IN ('seeded', 'added')"
  // Not prepared yet, so that the missing table is no mistake.
  const later = copies.map((copy) => copy.query("SELECT value FROM added"))
  copies[0]?.query("INSERT INTO meta (name, value) VALUES ('added', 2)").run()
  copies[0]?.run("CREATE TABLE added (value INTEGER)")
  expect(copies.map((copy) => copy.query(count).get())).toEqual([{ count: 2 }, { count: 1 }])
  expect(later[0]?.all()).toEqual([])
  expect(() => later[1]?.all()).toThrow("no such table: added")
  expect(openDatabase(":memory:", { image }).query(count).get()).toEqual({ count: 1 })
  for (const database of [seed, ...copies]) database.close()
})
