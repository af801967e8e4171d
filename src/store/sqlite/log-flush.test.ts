import { expect, test } from "bun:test"
import {
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
} from "node:fs"
import { join } from "node:path"
import { changeOf, grantOf } from "../../../test/support/admin-store.ts"
import { changesOf } from "../../../test/support/changes.ts"
import { accountOf, chargeOf } from "../../../test/support/store.ts"
import { tempDir } from "../../../test/support/temp.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import { systemTimer } from "../../ports/timer.ts"
import { createActivity } from "../store-options.ts"
import { withWalFlush } from "./checkpoints.ts"
import { openDatabase } from "./database-file.ts"
import { createSqliteStores, openSqliteStore, prepareGauges } from "./open-sqlite.ts"

const dir = tempDir()
let files = 0

const charge = chargeOf()

/** A served store with an account whose flushes end when the test ends them. */
async function serveHeld(name: string) {
  const file = join(dir, `${name}.db`)
  const timer = createManualTimer()
  const flushed: ((failure?: Error) => void)[] = []
  const problems: (string | null)[] = []
  const end = Promise.withResolvers<void>()
  const onChange = (problem: string | null) => void problems.push(problem)
  const serving = { onChange, onUnflushed: end.resolve }
  const sync = (_: number, done: (failure?: Error) => void) => void flushed.push(done)
  const { store, admin } = openSqliteStore(file, { timer, serving, sync })
  await changesOf(admin).createAccount(accountOf())
  return { file, timer, flushed, problems, end, store, admin }
}

const failure = new Error("EIO: i/o error, fdatasync")

/** Puts a folder in the place of a log, and returns what puts the log back. */
function hideLog(file: string): () => void {
  renameSync(`${file}-wal`, `${file}-away`)
  mkdirSync(`${file}-wal`)
  return () => {
    rmdirSync(`${file}-wal`)
    renameSync(`${file}-away`, `${file}-wal`)
  }
}

/** A store with an account, and its flushes. */
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
  const stores = createSqliteStores(openDatabase(file), { timer })
  await changesOf(stores.admin).createAccount(accountOf())
  const { store, admin } = withWalFlush(stores, file, { timer, sync, onFailed: unexpected })
  /** Ends the delay and waits for the flush. */
  async function flush() {
    timer.fire()
    await promise
    ;({ promise, resolve } = Promise.withResolvers<void>())
  }
  return { file, store, admin, timer, flushes, flush }
}

test("one flush follows a moment after several charges", async () => {
  const { file, store, timer, flushes, flush } = await openStore()
  expect(timer.waiting).toEqual([])
  await Promise.all([store.charge([charge]), store.charge([charge])])
  await store.charge([charge])
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

test("a change of the administration is flushed too: a revoked key must not work again after a power cut", async () => {
  const { store, admin, timer, flushes, flush } = await openStore()
  expect(await admin.apply(changeOf([grantOf("acc_1", 1, 9)]))).toBe("applied")
  expect(timer.waiting).toEqual([100])
  await flush()
  expect(flushes).toHaveLength(1)
  expect(await admin.apply(changeOf([grantOf("acc_9", 1, 9)]))).toBe("missing")
  expect(timer.waiting).toEqual([])
  await store.close()
})

test("a charge during a flush is flushed after it", async () => {
  const file = join(dir, "during.db")
  const timer = createManualTimer()
  const flushing: (() => void)[] = []
  const sync = (_: number, done: () => void) => void flushing.push(done)
  const stores = createSqliteStores(openDatabase(file), { timer })
  await changesOf(stores.admin).createAccount(accountOf())
  const { store } = withWalFlush(stores, file, { timer, sync, onFailed: unexpected })
  await store.charge([charge])
  timer.fire()
  await store.charge([charge])
  expect([flushing.length, timer.waiting]).toEqual([1, []])
  flushing[0]?.()
  expect(timer.waiting).toEqual([100])
  timer.fire()
  flushing[1]?.()
  await store.close()
})

test.each([
  [1, 0],
  [1, 1],
  [0, 1],
  [0, 0],
])(
  "closing the store closes the log, and flushes what was not yet flushed: %d charges flushed, %d not",
  async (flushed, pending) => {
    const { file, store, timer, flushes, flush } = await openStore()
    // Closing the only connection would empty and remove the log.
    using _other = openDatabase(file)
    for (let i = 0; i < flushed; i++) {
      await store.charge([charge])
      await flush()
    }
    for (let i = 0; i < pending; i++) await store.charge([charge])
    await store.close()
    timer.fire()
    for (const { descriptor } of flushes) expect(isOpen(descriptor)).toBe(false)
    expect(flushes).toHaveLength(flushed + pending)
  },
)

test("a store that is open for a moment, as that of a command, tells its caller that its changes were not flushed", async () => {
  const file = join(dir, "command.db")
  const timer = createManualTimer()
  let flushes = 0
  const sync = (_: number, done: (failure?: Error) => void) => {
    flushes++
    done(failure)
  }
  const read = openSqliteStore(file, { timer, sync })
  await read.store.ping()
  await read.store.close()
  expect(flushes).toBe(0)
  const { store, admin } = openSqliteStore(file, { timer, sync })
  await changesOf(admin).createAccount(accountOf())
  expect(flushes).toBe(0)
  expect(await store.close().catch(String)).toMatch(/did not confirm that changes of the data file .*EIO/)
  expect(flushes).toBe(1)
  const again = openSqliteStore(file, { timer })
  expect(await again.store.charge([charge])).toMatchObject([{ charged: true }])
  await again.store.close()
})

test.each(["before", "at"])(
  "a service whose flush fails %s its stop ends without closing the file",
  async (when) => {
    const { file, timer, flushed, problems, end, store } = await serveHeld(`stopped-${when}`)
    if (when === "before") timer.advance(100)
    let isClosed = false
    const closed = store.close().catch(String)
    void closed.then(() => {
      isClosed = true
    })
    while (flushed.length === 0) await systemTimer.turn()
    flushed[0]?.(failure)
    await systemTimer.turn()
    expect(problems).toEqual([expect.stringContaining("did not confirm")])
    expect([isClosed, existsSync(`${file}-wal`)]).toEqual([false, true])
    timer.advance(1_000)
    // A process ends here.
    await end.promise
    expect(await closed).toContain("did not confirm")
  },
)

test("a log that is there and cannot be opened counts as one that cannot be flushed", async () => {
  const file = join(dir, "unopened.db")
  const timer = createManualTimer()
  const failures: string[] = []
  const stores = createSqliteStores(openDatabase(file), { timer })
  await changesOf(stores.admin).createAccount(accountOf())
  const { store } = withWalFlush(stores, file, { timer, onFailed: (cause) => failures.push(String(cause)) })
  const showLog = hideLog(file)
  await store.charge([charge])
  timer.fire()
  expect(failures).toEqual([expect.stringContaining("EISDIR")])
  showLog()
  await store.close()
})

test("a log that may no longer be opened is flushed, since it was opened beside the first charge", async () => {
  const { file, store, flushes, flush } = await openStore()
  await store.charge([charge])
  const { ino: inode } = statSync(`${file}-wal`)
  const showLog = hideLog(file)
  await flush()
  expect(flushes).toMatchObject([{ inode }])
  showLog()
  await store.close()
})

test("a service flushes a log that its first charge could not open, as when clients have taken all descriptors", async () => {
  const file = join(dir, "served.db")
  const timer = createManualTimer()
  const problems: (string | null)[] = []
  const flushed: number[] = []
  const sync = (descriptor: number, done: () => void) => {
    flushed.push(fstatSync(descriptor).ino)
    done()
  }
  const serving = { onChange: (problem: string | null) => void problems.push(problem) }
  const { store, admin } = openSqliteStore(file, { timer, serving, sync })
  const { ino } = statSync(`${file}-wal`)
  const showLog = hideLog(file)
  await changesOf(admin).createAccount(accountOf())
  timer.advance(100)
  showLog()
  expect([flushed, problems]).toEqual([[ino], []])
  await store.close()
})

test("a log that was moved away breaks nothing, and is flushed when it is back", async () => {
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

test("the log of a data file behind a symbolic link is flushed and measured too", async () => {
  const real = join(dir, "real.db")
  const link = join(dir, "link.db")
  openDatabase(real).close()
  symlinkSync(real, link)
  const { store, flushes, flush } = await openStore(link)
  await store.charge([charge])
  await flush()
  expect(flushes).toMatchObject([{ inode: statSync(`${real}-wal`).ino }])
  using database = openDatabase(link)
  expect((await prepareGauges(database, createActivity()).bytes()).wal).toBe(statSync(`${real}-wal`).size)
  await store.close()
})

test("closing twice closes nothing else", async () => {
  const { store, flushes, flush } = await openStore()
  await store.charge([charge])
  await flush()
  await store.close()
  // The system reuses the lowest free descriptor, and earlier tests may still close lower ones than that of the log.
  const others: number[] = []
  do others.push(openSync(import.meta.path, "r"))
  while (!others.includes(flushes[0]?.descriptor ?? -1))
  await store.close()
  expect(others.every(isOpen)).toBe(true)
  for (const other of others) closeSync(other)
})

test("a store in memory has no log", async () => {
  const timer = createManualTimer()
  const stores = createSqliteStores(openDatabase(":memory:"), { timer })
  const { store, admin } = withWalFlush(stores, ":memory:", { timer, onFailed: unexpected })
  expect([store, admin]).toEqual([stores.store, stores.admin])
  await stores.store.close()
})

test("after a flush that failed nothing is charged until the file is opened anew, for which the process ends", async () => {
  const { file, timer, flushed, problems, end, store, admin } = await serveHeld("failing")
  let isEnded = false
  void end.promise.then(() => {
    isEnded = true
  })
  expect(await store.charge([charge])).toMatchObject([{ charged: true }])
  timer.fire()
  expect(flushed).toHaveLength(1)
  expect(problems).toEqual([])
  flushed[0]?.(failure)

  const refusal =
    /did not confirm that changes of the data file .*failing\.db are on it \(EIO: i\/o error, fdatasync\)/
  expect(problems).toEqual([expect.stringMatching(refusal)])
  const ping = store.ping()
  timer.advance(500)
  await systemTimer.turn()
  expect(isEnded).toBe(false)
  for (const refused of [store.charge([charge]), admin.apply(changeOf([grantOf("acc_1", 1, 9)])), ping])
    expect(await refused.catch(String)).toMatch(refusal)
  // The system reports a failure once: a later flush that succeeds says nothing about what was lost.
  timer.fire()
  flushed[1]?.()
  expect(await store.charge([charge]).catch(String)).toMatch(refusal)
  expect(problems).toHaveLength(1)
  timer.advance(1_000)
  await end.promise
  expect(await store.close().catch(String)).toMatch(refusal)

  const again = openSqliteStore(file, { timer })
  expect(await again.store.charge([charge])).toMatchObject([{ charged: true }])
  await again.store.close()
})

function unexpected(cause: unknown): void {
  throw cause
}

function isOpen(descriptor: number | undefined): boolean {
  try {
    fstatSync(descriptor ?? -1)
    return true
  } catch {
    return false
  }
}
