/** APIs of an operator's own with several processes, on the executable: all serve the same version of them. */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { callAcrossReloads, prices } from "../../scripts/exactness/reloads.ts"
import { apiSource, folderOf, writeFiles } from "../support/own-apis.ts"
import { tempDir } from "../support/temp.ts"
import { seedOne } from "./accounts.ts"
import { childrenOf, run, runJson, serve } from "./support.ts"

const dir = tempDir()

/** An API that answers with the number of its version, in a folder of its own. */
const version = (number: number) => ({
  "shout/index.ts": apiSource("shout", {
    run: `return { shouted: "${number}" }`,
    shouted: String(number),
    credits: number,
  }),
})

async function startTwo(apis: string) {
  const { db, key, used } = await seedOne(dir, { plan: "enterprise" })
  const admin = await runJson("admin-key", "create", "--name", "ops", "--db", db)
  const server = await serve(db, "--workers", "2", "--apis", apis)
  const post = (path: string, headers: Record<string, string>, body: object) =>
    fetch(server.url + path, {
      method: "POST",
      // A new connection for each call goes to any worker.
      headers: { ...headers, "content-type": "application/json", connection: "close" },
      body: JSON.stringify(body),
    })
  return {
    ...{ server, key, adminKey: admin.key, used },
    reload: async () => {
      const response = await post("/admin/v1/config/reload", { authorization: `Bearer ${admin.key}` }, {})
      return { status: response.status, text: await response.text() }
    },
    /** Calls an API until both workers have answered, and returns the statuses. */
    async statuses(api: string): Promise<readonly number[]> {
      const seen = new Map<string, number>()
      while (seen.size < 2) {
        const { status, headers } = await post(`/v1/${api}`, { "x-api-key": key }, { text: "a" })
        seen.set(headers.get("x-request-id")?.split(".")[0] ?? "", status)
      }
      return [...seen.values()]
    },
    /** Calls until both workers have answered, and returns the versions that they answered with. */
    async versions(): Promise<readonly string[]> {
      const seen = new Map<string, string>()
      while (seen.size < 2) {
        const response = await post("/v1/shout?format=json", { "x-api-key": key }, { text: "a" })
        const { data, error } = (await response.json()) as { data?: { shouted: string }; error?: string }
        const worker = response.headers.get("x-request-id")?.split(".")[0] ?? ""
        seen.set(worker, data?.shouted ?? error ?? "")
      }
      return [...seen.values()]
    },
  }
}

describe.if(process.platform === "linux")("two workers", () => {
  test("serve the same version of a folder that changes while it is loaded", async () => {
    const apis = folderOf(version(0))
    const { server, reload, versions } = await startTwo(apis)
    let last = 0
    let taken = 0
    const edits = setInterval(() => writeFiles(apis, version(++last)), 7)
    try {
      // A slow machine may see a change in the middle of each of the first ones.
      for (let round = 0; round < 8 || taken === 0; round++) {
        // A file that is half written is refused by both.
        if ((await reload()).status === 200) taken++
        const [first, second] = await versions()
        expect([round, second]).toEqual([round, first])
      }
    } finally {
      clearInterval(edits)
    }
    expect(await server.stop()).toBe(0)
  })

  /** `bun run exactness --only reloads` does this with 10,000 calls across 100 reloads, and with the configuration. */
  test("calls across reloads: none is refused, and each is charged the price of the version that answered", async () => {
    const apis = folderOf(version(prices.cheap))
    const { server, key, adminKey, used } = await startTwo(apis)
    const found = await callAcrossReloads({
      ...{ url: server.url, key, adminKey, calls: 400, reloads: 5 },
      path: "/v1/shout?format=json",
      body: { text: "a" },
      write: (price) => writeFiles(apis, version(price)),
      priceOf: ({ shouted }) => Number(shouted),
    })
    expect(found).toMatchObject({ calls: 400, reloads: 5, refused: 0, answered: await used() })
    expect(found.dear).toBeGreaterThan(0)
    expect(await server.stop()).toBe(0)
  })

  /** A version that one worker cannot load. The supervisor loads it first, to check prices. */
  const failingIn = (worker: "=== 1" | "=== 2" | "> 0") => {
    const file = JSON.stringify(join(tempDir(), "processes"))
    return {
      first: `import { appendFileSync, existsSync, readFileSync } from "node:fs"
const known = () => (existsSync(${file}) ? readFileSync(${file}, "utf8").split(" ") : [])
if (!known().includes(String(process.pid))) appendFileSync(${file}, process.pid + " ")
if (known().indexOf(String(process.pid)) ${worker}) throw new Error("not here")`,
    }
  }

  test("an API that cannot be used in the first of them is served by none", async () => {
    const apis = folderOf({
      "shout/index.ts": apiSource("shout"),
      "flaky/index.ts": apiSource("flaky", failingIn("=== 1")),
    })
    const { server, statuses } = await startTwo(apis)
    expect(await statuses("flaky")).toEqual([404, 404])
    expect(await statuses("shout")).toEqual([200, 200])
    expect(await server.stop()).toBe(0)
    const log = await server.stderr
    expect(log).toContain("Error: not here")
    expect(log).toContain(
      "It cannot be used in another worker: what it does when it is loaded must not depend on time",
    )
  })

  test("an API that can be used in the first of them only keeps the service from starting", async () => {
    const apis = folderOf({ "flaky/index.ts": apiSource("flaky", failingIn("=== 2")) })
    const { db } = await seedOne(dir)
    const flags = ["--db", db, "--apis", apis, "--workers", "2"]
    const { code, out, err } = await run(["serve", "--port", "0", ...flags])
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toContain(
      "--apis: The API 'flaky' can be used in another worker and not in this one: what it does when it is loaded must not depend on time, chance or other programs. Mend it, and start again.",
    )
  })

  test("a new version that ends the process that loads it is not taken over, and the other worker goes on", async () => {
    const apis = folderOf(version(0))
    const { server, reload, versions } = await startTwo(apis)
    const kills = { first: 'Bun.spawnSync(["kill", "-9", String(process.pid)])' }
    writeFiles(apis, { "shout/index.ts": apiSource("shout", kills) })
    const { status, text } = await reload()
    expect([status, JSON.parse(text).detail]).toEqual([
      409,
      "The configuration was not changed. The worker that tried it ended.",
    ])
    await server.wrote("a worker ended with code 137 and is replaced", 1)
    expect(await versions()).toEqual(["0", "0"])
    expect(await server.stop()).toBe(0)
  })

  test("one that cannot load a new version is replaced until one can", async () => {
    const apis = folderOf(version(0))
    const { server, reload, versions } = await startTwo(apis)
    const one = { run: 'return { shouted: "1" }', shouted: "1" }
    writeFiles(apis, { "shout/index.ts": apiSource("shout", { ...failingIn("=== 1"), ...one }) })
    expect((await reload()).status).toBe(200)
    await server.wrote("a worker cannot take the configuration of the others over and is replaced", 1)
    await server.wrote("a worker ended with code 0 and is replaced", 1)
    expect(await versions()).toEqual(["1", "1"])
    // The first one serves alone, until the folder is mended.
    writeFiles(apis, { "shout/index.ts": apiSource("shout", failingIn("> 0")) })
    expect((await reload()).status).toBe(200)
    await server.wrote("can be used in another worker and not in this one", 1)
    // Until then the other one answers calls as before.
    await server.wrote("a worker ended with code 0 and is replaced", 2)
    writeFiles(apis, version(2))
    expect((await reload()).status).toBe(200)
    expect(await versions()).toEqual(["2", "2"])
    expect(await server.stop()).toBe(0)
  })

  test("one in which an API closes files and connections of the process is replaced, and the other answers", async () => {
    const closes = `if (text === "close") for (let fd = 3; fd < 200; fd++) try { closeSync(fd) } catch {}
      return { shouted: "1" }`
    const source = apiSource("shout", {
      ...{ run: closes, shouted: "1" },
      first: 'import { closeSync } from "node:fs"',
    })
    const { server, key, used, versions } = await startTwo(folderOf({ "shout/index.ts": source }))
    const body = JSON.stringify({ text: "close" })
    const headers = { "x-api-key": key, "content-type": "application/json", connection: "close" }
    await expect(fetch(`${server.url}/v1/shout`, { method: "POST", headers, body })).rejects.toThrow()
    await server.wrote("a worker ended with code 137 and is replaced", 1)
    expect(await versions()).toEqual(["1", "1"])
    // The charge of the lost call may have been written.
    expect(await used()).toBeGreaterThanOrEqual(2)
    expect(await server.stop()).toBe(0)
  })

  test("a worker that is replaced serves the version of the other one, whatever the folder holds by now", async () => {
    const apis = folderOf(version(0))
    const { server, versions } = await startTwo(apis)
    writeFiles(apis, version(1))
    const [pid = 0] = childrenOf(server.event.pid)
    process.kill(pid, "SIGKILL")
    await server.wrote("a worker ended with code 137 and is replaced", 1)
    expect(await versions()).toEqual(["0", "0"])
    expect(await server.stop()).toBe(0)
  })
})
