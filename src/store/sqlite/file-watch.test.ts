import { expect, test } from "bun:test"
import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { withChanges } from "../../../test/support/changes.ts"
import { accountOf, chargeOf, keyOf } from "../../../test/support/store.ts"
import { tempDir } from "../../../test/support/temp.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import { StoreUnavailable } from "../store.ts"
import { openSqliteStore } from "./open-sqlite.ts"

const dir = tempDir()
let folders = 0

/** A store in a separate folder, opened as a server does, with an account that was charged one credit. */
async function openAsServer(name = "store.db", prepare = (_: string) => {}) {
  const folder = join(dir, String(folders++))
  mkdirSync(folder)
  prepare(folder)
  const file = join(folder, name)
  const timer = createManualTimer()
  const changes: (string | null)[] = []
  const serving = { onChange: (problem: string | null) => void changes.push(problem) }
  const { store, outbox, isNew } = withChanges(openSqliteStore(file, { timer, serving }))
  await store.createAccount(accountOf())
  await store.createKey(keyOf(), { hash: "hash", prefix: "pk-", createdMs: 1_000 })
  await store.charge([chargeOf()])
  return { folder, file, timer, changes, store, outbox, isNew }
}

type Server = Awaited<ReturnType<typeof openAsServer>>

/** Everything that a call or a notice needs of the store is refused, and nothing is charged. */
async function requireRefused({ store, outbox }: Server, reason: RegExp): Promise<void> {
  expect(() => store.findKey("hash")).toThrow(StoreUnavailable)
  expect(() => store.findKey("hash")).toThrow(reason)
  const charge = () => store.charge([chargeOf()])
  for (const use of [charge, () => store.takeRates([], () => 1_000), store.ping, outbox.list])
    await expect(use()).rejects.toThrow(StoreUnavailable)
}

async function requireServed({ store, outbox }: Server): Promise<void> {
  expect(store.findKey("hash")).toMatchObject({ account: { id: "acc_1" } })
  await store.ping()
  expect(await outbox.list()).toEqual([])
}

test("a file that is moved away is noticed within a second; when it is back, the store works again", async () => {
  const server = await openAsServer()
  const { file, timer, changes, store } = server
  timer.advance(10_000)
  expect(changes).toEqual([])
  renameSync(file, `${file}.away`)
  timer.advance(999)
  await requireRefused(server, /was deleted or moved while the server ran\. Put it back; or stop the server/)
  timer.advance(10_000)
  expect(changes).toEqual([expect.stringContaining(`The data file ${file} was deleted or moved`)])
  renameSync(`${file}.away`, file)
  timer.advance(999)
  await requireServed(server)
  expect(changes).toEqual([expect.any(String), null])
  expect(await store.charge([chargeOf()])).toMatchObject([{ charged: true, used: 2 }])
  await store.close()
})

test("a file that is replaced is noticed", async () => {
  const server = await openAsServer()
  const { file, timer, changes } = server
  copyFileSync(file, `${file}.copy`)
  renameSync(`${file}.copy`, file)
  timer.advance(999)
  const reason = /was replaced while the server ran\. Start the server again to use the new file/
  await requireRefused(server, reason)
  expect(changes).toHaveLength(1)
  await server.store.close()
})

test("a symbolic link that is changed to another file is noticed", async () => {
  const server = await openAsServer("link.db", (folder) => symlinkSync("one.db", join(folder, "link.db")))
  const { folder, file, timer } = server
  copyFileSync(join(folder, "one.db"), join(folder, "other.db"))
  unlinkSync(file)
  symlinkSync("other.db", file)
  timer.advance(999)
  await requireRefused(server, /was replaced/)
  await server.store.close()
})

test.each(["-wal", "-shm"])(
  "a deleted %s is noticed, and stopping the server saves what was charged",
  async (end) => {
    const server = await openAsServer()
    const { file, timer, store } = server
    unlinkSync(file + end)
    timer.advance(999)
    await requireRefused(server, new RegExp(`${end}, a part of the data file, was deleted.* Stop the server`))
    await store.close()
    const { store: again } = openSqliteStore(file, { timer })
    expect(await again.findAccount("acc_1")).toMatchObject({ used: 1 })
    await again.close()
  },
)

test("a path that leads nowhere any more is noticed", async () => {
  const server = await openAsServer()
  const { file, timer } = server
  renameSync(file, `${file}.away`)
  symlinkSync(file, file)
  timer.advance(999)
  await requireRefused(server, /cannot be looked at: Error: ELOOP.* Put it back/)
  unlinkSync(file)
  renameSync(`${file}.away`, file)
  timer.advance(999)
  await requireServed(server)
  await server.store.close()
})

test("a folder that is gone is noticed", async () => {
  const server = await openAsServer()
  rmSync(server.folder, { recursive: true })
  server.timer.advance(999)
  await requireRefused(server, /was deleted or moved/)
  await server.store.close()
})

test("a readiness probe looks at once", async () => {
  const server = await openAsServer()
  renameSync(server.file, `${server.file}.away`)
  await expect(server.store.ping()).rejects.toThrow("was deleted or moved")
  await server.store.close()
})

test("a closed store looks no more, and neither does one that serves nobody", async () => {
  const { file, timer, changes, store, isNew } = await openAsServer()
  await store.close()
  expect(isNew).toBe(true)
  const command = openSqliteStore(file, { timer })
  expect(command.isNew).toBe(false)
  renameSync(file, `${file}.away`)
  timer.advance(10_000)
  expect([timer.waiting, changes]).toEqual([[], []])
  await command.store.close()
})
