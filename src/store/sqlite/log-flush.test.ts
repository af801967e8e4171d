import { expect, test } from "bun:test"
import { closeSync, fdatasync, fstatSync, openSync, renameSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../../test/support/temp.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import type { Charge } from "../store.ts"
import { prepareGauges } from "./gauges.ts"
import { withLogFlush } from "./log-flush.ts"
import { openDatabase } from "./open.ts"
import { createSqliteStore } from "./sqlite-store.ts"

const dir = tempDir()
let files = 0

const charge: Charge = {
  accountId: "acc_1",
  items: [{ api: "hmac", calls: 1, credits: 1 }],
  allowance: null,
  periodStartMs: 0,
  day: "2025-01-01",
}

/** A store with an account, and what was brought to the disk. */
async function openStore(file = join(dir, `flush-${files++}.db`)) {
  const timer = createManualTimer()
  const flushes: { readonly inode: number; readonly descriptor: number }[] = []
  let { promise, resolve } = Promise.withResolvers<void>()
  const sync = (descriptor: number, done: () => void) => {
    flushes.push({ inode: fstatSync(descriptor).ino, descriptor })
    fdatasync(descriptor, () => {
      done()
      resolve()
    })
  }
  const store = withLogFlush(createSqliteStore(openDatabase(file), { timer }), file, { timer, sync })
  const account = { id: "acc_1", name: "Ann", plan: "free", createdMs: 0, closedMs: null }
  await store.createAccount({ ...account, periodStartMs: 0, used: 0, bonus: 0 })
  /** Lets the moment pass, and waits for what is then brought to the disk. */
  async function flush() {
    timer.fire()
    await promise
    ;({ promise, resolve } = Promise.withResolvers<void>())
  }
  return { file, store, timer, flushes, flush }
}

test("charges bring the log to the disk a moment later, all of a moment at once", async () => {
  const { file, store, timer, flushes, flush } = await openStore()
  expect(timer.waiting).toEqual([])
  await Promise.all([store.charge([charge]), store.charge([charge])])
  await store.charge([charge])
  // Not in the way of the charge itself.
  expect(flushes).toEqual([])
  expect(timer.waiting).toEqual([100])
  await flush()
  expect(flushes).toMatchObject([{ inode: statSync(`${file}-wal`).ino }])
  expect(timer.waiting).toEqual([])
  await store.charge([charge])
  await flush()
  expect(flushes[1]).toEqual(flushes[0])
  await store.close()
})

test("closing the store lets go of the log, whether something was still to be done or not", async () => {
  for (const isPending of [false, true]) {
    const { store, timer, flushes, flush } = await openStore()
    await store.charge([charge])
    await flush()
    if (isPending) await store.charge([charge])
    await store.close()
    timer.fire()
    expect(isOpen(flushes[0]?.descriptor)).toBe(false)
    expect(flushes).toHaveLength(1)
  }
})

test("a log that somebody has taken away breaks nothing, and is flushed again when it is back", async () => {
  const { file, store, timer, flushes, flush } = await openStore()
  renameSync(`${file}-wal`, `${file}-away`)
  expect(await store.charge([charge])).toMatchObject([{ charged: true }])
  timer.fire()
  expect(flushes).toEqual([])
  renameSync(`${file}-away`, `${file}-wal`)
  await store.charge([charge])
  await flush()
  expect(flushes).toMatchObject([{ inode: statSync(`${file}-wal`).ino }])
  await store.close()
})

test("the log of a data file behind a symbolic link is brought to the disk, and counted, too", async () => {
  const real = join(dir, "real.db")
  const link = join(dir, "link.db")
  openDatabase(real).close()
  symlinkSync(real, link)
  const { store, flushes, flush } = await openStore(link)
  await store.charge([charge])
  await flush()
  expect(flushes).toMatchObject([{ inode: statSync(`${real}-wal`).ino }])
  const database = openDatabase(link)
  expect(prepareGauges(database).bytes().wal).toBe(statSync(`${real}-wal`).size)
  database.close()
  await store.close()
})

test("closing twice closes nothing else", async () => {
  const { store, flushes, flush } = await openStore()
  await store.charge([charge])
  await flush()
  await store.close()
  // The system gives the lowest number that is free, so that the log's is another file's by then.
  const others = Array.from({ length: 20 }, () => openSync(import.meta.path, "r"))
  expect(others).toContain(flushes[0]?.descriptor as number)
  await store.close()
  expect(others.every(isOpen)).toBe(true)
  for (const other of others) closeSync(other)
})

test("a store in memory has no log", async () => {
  const timer = createManualTimer()
  const store = createSqliteStore(openDatabase(":memory:"), { timer })
  expect(withLogFlush(store, ":memory:", { timer })).toBe(store)
  await store.close()
})

function isOpen(descriptor: number | undefined): boolean {
  try {
    fstatSync(descriptor ?? -1)
    return true
  } catch {
    return false
  }
}
