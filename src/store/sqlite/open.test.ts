import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../../test/support/temp.ts"
import { openDatabase } from "./open.ts"

const dir = tempDir()
const rightsOf = (file: string) => (statSync(file).mode & 0o777).toString(8)

test("a new file and its log are for their owner alone, whatever the umask", () => {
  const file = join(dir, "new.db")
  const before = process.umask(0)
  const database = openDatabase(file)
  process.umask(before)
  expect([file, `${file}-wal`, `${file}-shm`].map(rightsOf)).toEqual(["600", "600", "600"])
  database.close()
})

test("rights that an operator has given stay", () => {
  const file = join(dir, "given.db")
  openDatabase(file).close()
  chmodSync(file, 0o640)
  openDatabase(file).close()
  expect(rightsOf(file)).toBe("640")
})

test.each([0, 1, 4])(
  "a file of another program, with version %d, is refused and stays as it is",
  (version) => {
    const file = join(dir, `other-${version}.db`)
    const other = new Database(file)
    other.run("CREATE TABLE notes (text)")
    other.run(`PRAGMA user_version = ${version}`)
    other.close()
    const before = readFileSync(file)
    expect(() => openDatabase(file)).toThrow(`${file} is not a data file of penknife.`)
    expect(readFileSync(file)).toEqual(before)
  },
)

test("an empty file becomes a store", () => {
  const file = join(dir, "empty.db")
  writeFileSync(file, "")
  openDatabase(file).close()
  expect(() => openDatabase(file, { mustExist: true }).close()).not.toThrow()
})
