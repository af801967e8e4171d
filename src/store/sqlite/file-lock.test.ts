import { expect, onTestFinished, test } from "bun:test"
import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../../test/support/temp.ts"
import { StoreUnusable } from "../store.ts"
import { lockForReplacing, lockForServing } from "./database-file.ts"

const dir = tempDir()
let files = 0
const newFile = () => join(dir, `${files++}.db`)

/** Another process that locks a file until its standard input ends. */
async function lockElsewhere(kind: "lockForServing" | "lockForReplacing", file: string) {
  const script = `
    const locks = await import(${JSON.stringify(join(import.meta.dir, "database-file.ts"))})
    const unlock = locks.${kind}(${JSON.stringify(file)})
    console.log("locked")
    for await (const _ of Bun.stdin.stream()) {}
    unlock()`
  const child = Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe" })
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await child.exited
  })
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe("locked\n")
  return child
}

test("several processes serve one file, and none is replaced before all of them have ended", async () => {
  const file = newFile()
  const [first, second] = [
    await lockElsewhere("lockForServing", file),
    await lockElsewhere("lockForServing", file),
  ]
  const unlock = lockForServing(file)
  first.kill("SIGKILL")
  await first.exited
  expect(() => lockForReplacing(file)).toThrow(`${file} is in use. Stop the server, then restore`)
  unlock()
  expect(() => lockForReplacing(file)).toThrow(StoreUnusable)
  second.stdin.end()
  expect(await second.exited).toBe(0)
  lockForReplacing(file)()
})

test("no server starts while a restore puts a file in place", async () => {
  const file = newFile()
  const restore = await lockElsewhere("lockForReplacing", file)
  expect(() => lockForServing(file, 0)).toThrow(
    `${file} is being restored. Start the server again afterwards.`,
  )
  restore.kill("SIGKILL")
  await restore.exited
  lockForServing(file, 0)()
})

test("a lock lasts as long as nobody releases it", () => {
  const file = newFile()
  const unlock = lockForServing(file)
  // A database that nothing refers to would be closed.
  Bun.gc(true)
  expect(() => lockForReplacing(file)).toThrow("is in use")
  unlock()
  unlock()
  lockForReplacing(file)()
})

test("the lock is beside the file itself, for its owner alone, and stays empty", async () => {
  const file = newFile()
  const link = newFile()
  symlinkSync(file, link)
  const unlock = lockForServing(link)
  expect(() => lockForReplacing(file)).toThrow("is in use")
  unlock()
  const { mode, size } = statSync(`${file}-lock`)
  expect([(mode & 0o777).toString(8), size]).toEqual(["600", 0])
  expect([existsSync(`${link}-lock`), existsSync(file)]).toEqual([false, false])
})

test("a lock file that is something else is named", () => {
  const file = newFile()
  writeFileSync(`${file}-lock`, "this is not a lock, but it is long enough to look like a file\n".repeat(20))
  expect(() => lockForServing(file)).toThrow(
    `cannot be locked with the file ${file}-lock: file is not a database`,
  )
  expect(() => lockForServing(join(dir, "nowhere", "x.db"))).toThrow(
    `There is no folder ${join(dir, "nowhere")}. Make it`,
  )
})
