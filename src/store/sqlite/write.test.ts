import { Database } from "bun:sqlite"
import { beforeEach, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { tempDir } from "../../../test/support/temp.ts"
import { noWaitTimer } from "../../../test/support/timer.ts"
import { StoreUnavailable } from "../store.ts"
import { openDatabase } from "./open.ts"
import { createSqliteStore } from "./sqlite-store.ts"
import { createWrite, type Write } from "./write.ts"

const dir = tempDir()
// Generous, for a busy machine.
setDefaultTimeout(60_000)
let files = 0
let file: string
let database: Database
let write: Write

beforeEach(() => {
  file = join(dir, `write-${files++}.db`)
  database = openDatabase(file)
  // SQLite itself does not wait, so that the test does not.
  database.run("PRAGMA busy_timeout = 0")
  database.run("CREATE TABLE notes (text TEXT)")
  write = createWrite(database, noWaitTimer)
})

const note = (text: string) => () => database.run("INSERT INTO notes VALUES (?1)", [text])
const notes = () => database.query<{ text: string }, []>("SELECT text FROM notes").all()

/** Another process that keeps the lock until it is told. */
function lock() {
  const other = new Database(file)
  other.run("BEGIN IMMEDIATE")
  return () => {
    other.run("ROLLBACK")
    other.close()
  }
}

test("without a foreign lock a write is done when the call returns", async () => {
  const done = write(note("a"))
  expect(notes()).toEqual([{ text: "a" }])
  await done
})

test("a foreign lock is waited for, in order, while everything else goes on", async () => {
  const unlock = lock()
  const writes = [write(note("a")), write(note("b"))]
  // The loop turns: a process that waited in SQLite would never get here with the lock still taken.
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  expect(notes()).toEqual([])
  unlock()
  const last = write(note("c"))
  await Promise.all([...writes, last])
  expect(notes()).toEqual([{ text: "a" }, { text: "b" }, { text: "c" }])
})

test("it is tried again and again, and not for ever", async () => {
  const unlock = lock()
  let tries = 0
  const tryTo = (text: string, last: number) => () => {
    if (++tries === last) unlock()
    return note(text)()
  }
  await write(tryTo("a", 8))
  expect([tries, notes()]).toEqual([8, [{ text: "a" }]])
  tries = 0
  const again = lock()
  await expect(write(tryTo("b", Number.POSITIVE_INFINITY))).rejects.toThrow(StoreUnavailable)
  expect(tries).toBe(11)
  again()
})

test("a lock that stays ends each write as unavailable, and the next ones are tried anew", async () => {
  const unlock = lock()
  const results = await Promise.allSettled([write(note("a")), write(note("b"))])
  expect(results.map((result) => result.status === "rejected" && result.reason)).toEqual([
    expect.any(StoreUnavailable),
    expect.any(StoreUnavailable),
  ])
  unlock()
  await write(note("c"))
  expect(notes()).toEqual([{ text: "c" }])
})

test("what fails for another reason fails alone", async () => {
  const unlock = lock()
  const writes = [
    write(note("a")),
    write(() => {
      throw new RangeError("a bug")
    }),
    write(note("b")),
  ]
  unlock()
  const [first, bug, last] = await Promise.allSettled(writes)
  expect([first?.status, last?.status]).toEqual(["fulfilled", "fulfilled"])
  expect(bug).toMatchObject({ status: "rejected", reason: expect.any(RangeError) })
  expect(notes()).toEqual([{ text: "a" }, { text: "b" }])
})

test("a store is ready when it can be written to, for all who ask at once by one write", async () => {
  const store = createSqliteStore(database, { timer: noWaitTimer })
  const probes = () => database.query("SELECT value FROM meta WHERE name = 'probes'").get()
  await store.ping()
  await Promise.all(Array.from({ length: 20 }, () => store.ping()))
  expect(probes()).toEqual({ value: 2 })
  const unlock = lock()
  await expect(store.ping()).rejects.toThrow(StoreUnavailable)
  unlock()
  await store.ping()
  const readOnly = createSqliteStore(new Database(file, { readonly: true, strict: true }), {
    timer: noWaitTimer,
  })
  await expect(readOnly.ping()).rejects.toThrow(StoreUnavailable)
})
