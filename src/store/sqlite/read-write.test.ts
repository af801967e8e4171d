import { Database } from "bun:sqlite"
import { beforeEach, expect, test } from "bun:test"
import { accountOf, chargeOf, openTestStore, useDatabases } from "../../../test/support/store.ts"
import { createManualTimer, type ManualTimer, noWaitTimer } from "../../../test/support/timer.ts"
import { StoreUnavailable } from "../store.ts"
import { noWatch } from "./file-watch.ts"
import { createWrite, type Write } from "./read-write.ts"

const open = useDatabases()
let database: Database
let timer: ManualTimer
let write: Write

beforeEach(() => {
  database = open()
  // Else SQLite itself would wait for locks.
  database.run("PRAGMA busy_timeout = 0")
  database.run("CREATE TABLE notes (text TEXT)")
  timer = createManualTimer()
  write = createWrite(database, timer)
})

const note = (text: string) => () => database.run("INSERT INTO notes VALUES (?1)", [text])
const notes = () => database.query<{ text: string }, []>("SELECT text FROM notes").values().flat()

/** Locks the database as another process would, until the returned function is called. */
function lock() {
  const other = new Database(database.filename)
  other.run("BEGIN IMMEDIATE")
  return () => {
    other.run("ROLLBACK")
    other.close()
  }
}

test("without a lock a write is done when the call returns", async () => {
  const done = write(note("a"))
  expect(notes()).toEqual(["a"])
  await done
})

test("writes wait for a lock in their order, tried every 25 ms by one timer", async () => {
  const unlock = lock()
  const writes = [write(note("a")), write(note("b"))]
  expect(timer.waiting).toEqual([25])
  timer.fire()
  expect([notes(), timer.waiting]).toEqual([[], [25]])
  unlock()
  const last = write(note("c"))
  expect(notes()).toEqual([])
  timer.fire()
  await Promise.all([...writes, last])
  expect([notes(), timer.waiting]).toEqual([["a", "b", "c"], []])
})

test("a write is tried eleven times, then it and all that wait are unavailable, and the next is tried again", async () => {
  const unlock = lock()
  let tries = 0
  const results = Promise.allSettled([
    write(() => {
      tries++
      return note("a")()
    }),
    write(note("b")),
  ])
  for (let i = 0; i < 10; i++) timer.fire()
  expect((await results).map((result) => result.status === "rejected" && result.reason)).toEqual([
    expect.any(StoreUnavailable),
    expect.any(StoreUnavailable),
  ])
  expect([tries, timer.waiting]).toEqual([11, []])
  unlock()
  await write(note("c"))
  expect(notes()).toEqual(["c"])
})

test("a write that fails for another reason fails alone", async () => {
  const unlock = lock()
  const bug = () => {
    throw new RangeError("a bug")
  }
  const results = Promise.allSettled([write(note("a")), write(bug), write(note("b"))])
  unlock()
  timer.fire()
  expect((await results).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
  expect((await results)[1]).toMatchObject({ reason: expect.any(RangeError) })
  expect(notes()).toEqual(["a", "b"])
})

test("a store is ready when it can be written to; all who ask in one turn share one write", async () => {
  const store = openTestStore(database, { timer: noWaitTimer })
  await store.createAccount(accountOf())
  const probes = () => database.query("SELECT value FROM meta WHERE name = 'probes'").get()
  await store.ping()
  await Promise.all(Array.from({ length: 20 }, () => store.ping()))
  expect(probes()).toEqual({ value: 2 })
  const unlock = lock()
  await expect(store.ping()).rejects.toThrow(
    "Another process keeps the data file locked. Try again, or end that process. (SQLITE_BUSY",
  )
  await expect(store.charge([chargeOf()])).rejects.toThrow(StoreUnavailable)
  unlock()
  await store.ping()
  expect(await store.charge([chargeOf()])).toMatchObject([{ charged: true }])
  const readOnly = new Database(database.filename, { readonly: true, strict: true })
  await expect(openTestStore(readOnly, { timer: noWaitTimer }).ping()).rejects.toThrow(StoreUnavailable)
})

test("writes wait for the last step of a checkpoint, and meet its lock if it takes longer", async () => {
  let last: PromiseWithResolvers<void> | null = Promise.withResolvers<void>()
  let looks = 0
  write = createWrite(database, timer, noWatch, { pause: () => last?.promise ?? null, look: () => looks++ })
  const waiting = [write(note("a")), write(note("b"))]
  expect([notes(), looks, timer.waiting]).toEqual([[], 2, []])
  const unlock = lock()
  last.resolve()
  last = null
  await timer.asked()
  expect([notes(), timer.waiting]).toEqual([[], [25]])
  unlock()
  timer.fire()
  await Promise.all(waiting)
  expect(notes()).toEqual(["a", "b"])
})
