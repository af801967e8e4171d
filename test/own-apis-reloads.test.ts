/** Reloads of an operator's own APIs: what is loaded again, and what is left of older versions. */

import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { copyFolder } from "../src/plugins/copy-folder.ts"
import { createHeldDns } from "./support/held-dns.ts"
import { postWith } from "./support/keyed-request.ts"
import { apiSource, folderOf, slowRun, writeFiles } from "./support/own-apis.ts"
import { startTestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"

/** The folder for temporary files while each of these tests runs. */
const temporary = tempDir()
const usual = process.env.TMPDIR
beforeEach(() => {
  process.env.TMPDIR = temporary
})
afterEach(() => {
  if (usual === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = usual
})

/** The number of copies of folders with own APIs. */
const copies = () => readdirSync(temporary).filter((name) => name.startsWith("penknife-apis-")).length

/** An API that writes its id to a file when it is loaded. */
function createLoads() {
  const file = join(tempDir(), "loads")
  return {
    source: (id: string, change: Parameters<typeof apiSource>[1] = {}) =>
      apiSource(id, {
        ...change,
        first: `import { appendFileSync } from "node:fs"
appendFileSync(${JSON.stringify(file)}, "${id} ")
${change.first ?? ""}`,
      }),
    /** The ids since the last time, sorted. */
    take() {
      const ids = existsSync(file) ? readFileSync(file, "utf8").trim().split(" ").sort() : []
      rmSync(file, { force: true })
      return ids.join(" ")
    },
  }
}

test("a reload loads only those APIs again whose files have changed, or those that they use", async () => {
  const { source, take } = createLoads()
  const apis = folderOf({
    "alpha/index.ts": source("alpha"),
    "beta/index.ts": source("beta", { first: 'import "../gamma/words.ts"' }),
    "gamma/index.ts": source("gamma"),
    "gamma/words.ts": "export const words = 1",
    "common/all.ts": "export const all = 1",
  })
  let file: object = {}
  const service = await startTestService({ flags: { apis }, readFile: () => ({ ...file }) })
  const { key } = await service.createKey("mega")
  const shouts = async (api: string) =>
    (await service.fetch(`/v1/${api}`, { ...postWith({ text: "a" }), key })).text()
  const reload = async (files: Readonly<Record<string, string>>) => {
    writeFiles(apis, files)
    await service.configuration.reload()
    return take()
  }
  expect(take()).toBe("alpha beta gamma")
  expect(await reload({})).toBe("")
  expect(await reload({ "alpha/index.ts": source("alpha", { run: 'return { shouted: "HELLO" }' }) })).toBe(
    "alpha",
  )
  expect(await reload({ "gamma/words.ts": "export const words = 2" })).toBe("beta gamma")
  expect(await reload({ "common/all.ts": "export const all = 2" })).toBe("alpha beta gamma")
  // One that is refused is tried again, and the others stay.
  expect(await reload({ "wrong/index.ts": "const = 1" })).toBe("")
  // Settings are of the calls, and not of the threads.
  file = { api_timeout: 11, api_workers: 3, api_memory: 100_000_000 }
  expect(await reload({})).toBe("")
  for (const api of ["alpha", "beta", "gamma"]) expect(await shouts(api)).toContain('"shouted"')
  expect(take()).toBe("")
})

test("a version ends with its last call, and two older ones are kept at most", async () => {
  const version = (number: number) => ({
    "shout/index.ts": apiSource("shout", {
      first: `// ${number}`,
      run: slowRun,
    }),
  })
  const before = copies()
  const apis = folderOf(version(0))
  const held = createHeldDns()
  // The reloads may take longer than the ten seconds that a call may otherwise take.
  const flags = { apis, apiTimeoutSeconds: "60" }
  const service = await startTestService({ flags, ports: { dns: held.dns } })
  const { account, key } = await service.createKey("mega")
  const shout = async (text: string) =>
    (await service.fetch("/v1/shout", { ...postWith({ text }), key })).status
  const reload = async (number: number) => {
    writeFiles(apis, version(number))
    await service.configuration.reload()
  }
  const slow = shout("slow")
  await held.asked()
  await reload(1)
  await reload(2)
  // The third reload waits for the call that began before the first one.
  let isReloaded = false
  const third = reload(3).then(() => {
    isReloaded = true
  })
  for (let calls = 0; calls < 100; calls++) expect(await shout("a")).toBe(200)
  expect(isReloaded).toBe(false)
  held.release()
  expect(await slow).toBe(200)
  await third
  for (let number = 4; number < 12; number++) await reload(number)
  expect(copies() - before).toBeLessThanOrEqual(3)
  expect(await service.accounts.usage(account, 1)).toMatchObject([{ calls: 101, credits: 101 }])
})

test("a copy that a killed process left behind is removed with the next one, and no other is", async () => {
  const host = Bun.hash(hostname()).toString(16).padStart(16, "0")
  const ended = Bun.spawn(["true"])
  await ended.exited
  const named = (host: string, pid: number) => join(temporary, `penknife-apis-${host}-${pid}-abcdef`)
  const [left, before, elsewhere, other] = [
    named(host, ended.pid),
    // A restarted container has the same process ids.
    named(host, process.pid),
    named("0123456789abcdef", ended.pid),
    named(host, process.ppid),
  ] as const
  const kept = [elsewhere, other]
  try {
    for (const folder of [left, before, ...kept]) mkdirSync(join(folder, "shout"), { recursive: true })
    const folder = folderOf({ "a/index.ts": "1" })
    const first = await copyFolder(folder)
    const second = await copyFolder(folder)
    expect([left, before].filter(existsSync)).toEqual([])
    expect([...kept, first.folder, second.folder].filter((one) => !existsSync(one))).toEqual([])
    first.remove()
    second.remove()
  } finally {
    for (const folder of [left, before, ...kept]) rmSync(folder, { recursive: true, force: true })
  }
})
