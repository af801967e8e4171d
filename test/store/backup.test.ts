/** `backup` and `restore` on real files, by the command line in this process. */

import { Database } from "bun:sqlite"
import { beforeEach, expect, onTestFinished, test } from "bun:test"
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { openDatabase } from "../../src/store/sqlite/database-file.ts"
import { runCliForTest } from "../support/cli.ts"
import { tempDir } from "../support/temp.ts"

const dir = realpathSync(tempDir())
let folders = 0
let here = ""
let db = ""

beforeEach(() => {
  here = join(dir, String(folders++))
  mkdirSync(here)
  db = join(here, "store.db")
})

async function json(...argv: string[]) {
  const { code, out, err } = await runCliForTest([...argv, "--db", db, "--json"])
  expect({ code, err }).toEqual({ code: 0, err: "" })
  return JSON.parse(out)
}

async function failure(...argv: string[]) {
  const { code, out, err } = await runCliForTest([...argv, "--db", db])
  expect({ code, out }).toEqual({ code: 1, out: "" })
  expect(err).not.toContain("    at ")
  return err
}

const createAccount = (name: string) => json("account", "create", "--name", name)

/** The backup of a data file that has one account. */
async function backUp(name = "Ann"): Promise<string> {
  await createAccount(name)
  const file = join(here, "copy.db")
  await json("backup", file)
  return file
}

const names = async (): Promise<string[]> =>
  (await json("account", "list")).map(({ name }: { name: string }) => name)

/** A process that serves the data file. It ends with the test. */
async function serveInOtherProcess(file: string) {
  const script = join(import.meta.dir, "../support/serve-store.ts")
  const child = Bun.spawn([process.execPath, script, file], { stdin: "pipe", stdout: "pipe" })
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await child.exited
  })
  await child.stdout.getReader().read()
  return child
}

/** Writes over the start of a file in place, as a failing disk does. */
function overwriteStart(file: string, bytes: Buffer): void {
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, bytes, 0, bytes.length, 0)
  closeSync(descriptor)
}

test("backup is one whole data file that only its owner may read", async () => {
  await createAccount("Ann")
  const file = join(here, "copy.db")
  const report = await json("backup", file)
  const bytes = statSync(file).size
  expect(report).toEqual({ file, bytes, store_version: expect.any(Number), accounts: 1 })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(here).sort()).toEqual(["copy.db", "store.db"])
})

test("backup has the changes that are only in the write-ahead log", async () => {
  await createAccount("Ann")
  const other = openDatabase(db)
  other.run("UPDATE accounts SET name = 'in the log'")
  const file = join(here, "copy.db")
  await json("backup", file)
  other.close()
  db = file
  expect(await names()).toEqual(["in the log"])
})

test("backup never overwrites a file", async () => {
  await createAccount("Ann")
  const file = join(here, "diary.txt")
  writeFileSync(file, "dear diary")
  expect(await failure("backup", file)).toContain(`${file} exists already`)
  expect(await failure("backup", db)).toContain("exists already")
  expect(readFileSync(file, "utf8")).toBe("dear diary")
  expect(await names()).toEqual(["Ann"])
})

test("backup leaves nothing behind when it fails", async () => {
  expect(await failure("backup", join(here, "copy.db"))).toContain(`There is no data file ${db}`)
  await createAccount("Ann")
  expect(await failure("backup", join(here, "nowhere", "copy.db"))).toContain("cannot be written")
  writeFileSync(db, "something else, long enough to be no header of SQLite ".repeat(40))
  expect(await failure("backup", join(here, "copy.db"))).toContain("could not be copied")
  expect(readdirSync(here)).toEqual(["store.db"])
})

test("backup and restore take nothing over from an earlier run that was killed", async () => {
  await createAccount("Ann")
  const file = join(here, "copy.db")
  const leave = (name: string) => {
    for (const end of ["", "-journal", "-wal", "-shm"]) writeFileSync(name + end, "left over")
  }
  leave(`${file}.partial`)
  await json("backup", file)
  leave(`${db}.restoring`)
  const { replaced } = await json("restore", file)
  expect(await names()).toEqual(["Ann"])
  const left = readdirSync(here).filter((name) => /partial|restoring/.test(name))
  expect({ left, isKept: existsSync(replaced) }).toEqual({ left: [], isKept: true })
})

test("restore replaces the data file, keeps the old one, and leaves the backup unchanged", async () => {
  const file = await backUp("before")
  const backup = readFileSync(file)
  await createAccount("after")
  const { replaced, ...report } = await json("restore", file)
  const counts = { bytes: expect.any(Number), store_version: expect.any(Number), accounts: 1 }
  expect(report).toEqual({ file: db, ...counts })
  expect(await names()).toEqual(["before"])
  expect([statSync(db).mode & 0o777, readFileSync(file).equals(backup)]).toEqual([0o600, true])
  db = replaced
  expect((await names()).toSorted()).toEqual(["after", "before"])
})

test("restore works without a data file, or with a damaged one", async () => {
  const file = await backUp()
  const original = db
  db = join(here, "new.db")
  // An abandoned log must not be replayed into the new file.
  writeFileSync(`${db}-wal`, "old")
  expect((await json("restore", file)).replaced).toBeNull()
  expect(await names()).toEqual(["Ann"])
  db = original
  writeFileSync(db, Buffer.alloc(8_192, 0x5a))
  const { replaced } = await json("restore", file)
  expect(await names()).toEqual(["Ann"])
  expect(readFileSync(replaced).equals(Buffer.alloc(8_192, 0x5a))).toBe(true)
})

test("restore refuses while a process has the data file open, and changes nothing", async () => {
  const file = await backUp()
  const server = openDatabase(db)
  server.query("SELECT * FROM accounts").all()
  expect(await failure("restore", file)).toContain("is in use. Stop the server")
  server.run("UPDATE accounts SET name = 'still served'")
  server.close()
  expect(await names()).toEqual(["still served"])
  expect(readdirSync(here).sort()).toEqual(["copy.db", "store.db", "store.db-lock"])
})

test("restore refuses while a server runs on a data file whose header is damaged, or that is gone", async () => {
  const file = await backUp()
  const server = await serveInOtherProcess(db)
  const damage = Buffer.alloc(100, 0x5a)
  overwriteStart(db, damage)
  expect(await failure("restore", file)).toContain("is in use. Stop the server")
  expect(readFileSync(db).subarray(0, 100).equals(damage)).toBe(true)
  for (const end of ["", "-wal", "-shm"]) rmSync(db + end)
  expect(await failure("restore", file)).toContain("is in use. Stop the server")
  expect(existsSync(db)).toBe(false)
  server.kill("SIGKILL")
  await server.exited
  expect((await json("restore", file)).replaced).toBeNull()
  expect(await names()).toEqual(["Ann"])
})

test("restore: onto a symbolic link replaces the file that it names", async () => {
  const file = await backUp("before")
  await createAccount("after")
  const real = db
  mkdirSync(join(here, "links"))
  db = join(here, "links", "store.db")
  symlinkSync("../store.db", db)
  const report = await json("restore", file)
  expect(report.file).toBe(real)
  expect(report.replaced).toStartWith(`${real}.replaced-`)
  expect(readlinkSync(db)).toBe("../store.db")
  expect(await names()).toEqual(["before"])
  expect(readdirSync(join(here, "links"))).toEqual(["store.db"])
})

test("restore: onto a symbolic link to a missing file makes that file", async () => {
  const file = await backUp()
  db = join(here, "link.db")
  symlinkSync("missing.db", db)
  expect(await json("restore", file)).toMatchObject({ file: join(here, "missing.db"), replaced: null })
  expect(readlinkSync(db)).toBe("missing.db")
  expect(await names()).toEqual(["Ann"])
})

test("restore knows the data file by any name", async () => {
  await createAccount("Ann")
  const [symbolic, hard] = [join(here, "symbolic.db"), join(here, "hard.db")]
  symlinkSync(db, symbolic)
  linkSync(db, hard)
  for (const file of [symbolic, hard])
    expect(await failure("restore", file)).toContain("is the data file itself")
})

test.if(process.getuid?.() === 0)(
  "restore: as root leaves the file to the user whose file it was",
  async () => {
    const file = await backUp()
    chownSync(db, 1234, 1235)
    await json("restore", file)
    for (const each of [db, `${db}-lock`]) expect(statSync(each)).toMatchObject({ uid: 1234, gid: 1235 })
  },
)

test("restore refuses what is not a backup, is damaged or has a newer schema, and changes nothing", async () => {
  await createAccount("Ann")
  const file = join(here, "copy.db")
  const refused = async () => {
    const err = await failure("restore", file)
    expect(await names()).toEqual(["Ann"])
    return err
  }
  expect(await refused()).toContain("There is no backup")
  writeFileSync(file, "")
  expect(await refused()).toContain("is not a data file of penknife")
  writeFileSync(file, "x".repeat(5_000))
  expect(await refused()).toContain("not a data file of penknife")
  for (const change of ["PRAGMA user_version = 99", "DROP TABLE meta", "DELETE FROM accounts"]) {
    const copy = join(here, `${change.slice(0, 4)}.db`)
    await json("key", "create", "--account", (await json("account", "list"))[0].id)
    await json("backup", copy)
    const database = new Database(copy)
    database.run(change)
    database.close()
    expect(await failure("restore", copy)).toMatch(/newer penknife|not a data file of penknife|is damaged/)
  }
  const torn = join(here, "torn.db")
  await json("backup", torn)
  const bytes = readFileSync(torn)
  bytes.fill(0x5a, bytes.length - 4_096)
  chmodSync(torn, 0o600)
  writeFileSync(torn, bytes)
  expect(await failure("restore", torn)).toContain("damaged")
  expect(await failure("restore", db)).toContain("is the data file itself")
  expect(await names()).toEqual(["Ann"])
  expect(existsSync(`${db}.restoring`)).toBe(false)
})
