import { expect, test } from "bun:test"
import { chmodSync, statSync } from "node:fs"
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
