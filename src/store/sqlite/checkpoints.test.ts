import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { changesOf } from "../../../test/support/changes.ts"
import { accountOf, chargeOf } from "../../../test/support/store.ts"
import { tempDir } from "../../../test/support/temp.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import { createCheckpoints, logState } from "./checkpoints.ts"
import { openDatabase } from "./database-file.ts"
import { openSqliteStore } from "./open-sqlite.ts"

const dir = tempDir()
const heldMs = 1_000

/** A served store, and a connection beside it that writes large rows and does no checkpoint. */
async function openServed(file: string) {
  const timer = createManualTimer()
  const warnings: string[] = []
  const { store, admin } = openSqliteStore(file, {
    timer,
    serving: { onChange() {} },
    log: { warn: (message) => warnings.push(message) },
  })
  await changesOf(admin).createAccount(accountOf())
  const beside = new Database(file)
  beside.run("PRAGMA wal_autocheckpoint = 0")
  beside.run("CREATE TABLE large (bytes)")
  const fill = (megabytes: number) => {
    for (let i = 0; i < megabytes; i++) beside.run("INSERT INTO large VALUES (randomblob(1000000))")
  }
  const state = logState(beside)
  return { store, timer, warnings, beside, fill, state, charge: () => store.charge([chargeOf()]) }
}

/** Lets the thread answer. Its timer stands still, so only the thread goes on. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}

test("a thread empties the log of a served file, and no write does", async () => {
  const file = join(dir, "served.db")
  const { store, timer, fill, state, charge, beside, warnings } = await openServed(file)
  fill(40)
  await charge()
  // Beyond the limit at which SQLite makes a checkpoint in the write of a command.
  const before = state()
  expect([before.log > 32_768, before.checkpointed]).toEqual([true, 0])
  timer.advance(100)
  await until(() => state().checkpointed === state().log)
  expect(state().log).toBe(before.log)
  // The thread lets go of the log a moment after it has emptied it. Until then a write goes on at its end.
  await until(async () => {
    await charge()
    return state().log < 100
  })
  beside.close()
  await store.close()
  expect([statSync(`${file}-wal`, { throwIfNoEntry: false }), warnings]).toEqual([undefined, []])
})

test("a log with little in it is left: a flush costs more", async () => {
  const { store, timer, state, charge, beside } = await openServed(join(dir, "little.db"))
  await charge()
  timer.advance(100)
  // The end of the store would wait for a checkpoint under way, and makes none while the file is open elsewhere.
  await store.close()
  expect([state().log > 0, state().checkpointed]).toEqual([true, 0])
  beside.close()
})

test("the log is emptied as soon as a reader does not hold it any more", async () => {
  const { store, timer, fill, state, charge, beside, warnings } = await openServed(join(dir, "held.db"))
  const reader = new Database(beside.filename)
  reader.run("BEGIN")
  reader.query("SELECT count(*) FROM accounts").get()
  fill(20)
  await charge()
  timer.advance(100)
  await until(() => timer.waiting.includes(heldMs))
  expect(state().checkpointed).toBeLessThan(state().log)
  expect(await charge()).toMatchObject([{ charged: true }])
  reader.close()
  timer.advance(heldMs)
  await until(() => state().checkpointed === state().log)
  expect(warnings).toEqual([])
  beside.close()
  await store.close()
})

test("a log that cannot be emptied is a warning, once, and is tried again", async () => {
  const file = join(dir, "away.db")
  const { store, timer, fill, state, charge, beside, warnings } = await openServed(file)
  fill(20)
  await charge()
  renameSync(file, `${file}-away`)
  for (let attempt = 0; attempt < 2; attempt++) {
    timer.advance(attempt === 0 ? 100 : heldMs)
    await until(() => timer.waiting.includes(heldMs))
  }
  expect(warnings).toEqual(["write-ahead log not emptied; this is tried again"])
  renameSync(`${file}-away`, file)
  timer.advance(heldMs)
  await until(() => state().checkpointed === state().log)
  beside.close()
  await store.close()
})

test("a log that cannot be looked at is a warning and stops nothing", async () => {
  const database = openDatabase(join(dir, "unreadable.db"))
  const timer = createManualTimer()
  const causes: unknown[] = []
  const log = { warn: (_: string, { cause }: { readonly cause?: unknown }) => causes.push(cause) }
  const checkpoints = createCheckpoints(database, { timer, log })
  database.close()
  checkpoints.look()
  timer.fire()
  expect([causes, timer.waiting]).toEqual([[expect.stringMatching(/closed/i)], [heldMs]])
  await checkpoints.stop()
})

test("stopping waits for the checkpoint under way", async () => {
  const database = openDatabase(join(dir, "stop.db"))
  const timer = createManualTimer()
  const checkpoints = createCheckpoints(database, { timer, startBytes: 1 })
  const state = logState(database)
  database.run("CREATE TABLE large AS SELECT randomblob(5000000) AS bytes")
  checkpoints.look()
  timer.fire()
  await checkpoints.stop()
  expect(state().checkpointed).toBe(state().log)
  checkpoints.look()
  expect([timer.waiting, checkpoints.pause()]).toEqual([[], null])
  database.close()
  checkpoints.release()
})
