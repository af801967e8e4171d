/** APIs of an operator's own whose files change, on the executable: processes that start again serve them. */
import { describe, expect, test } from "bun:test"
import { callAcrossReloads, prices } from "../../scripts/exactness/reloads.ts"
import { readAnswer } from "../support/answer.ts"
import { postWith } from "../support/keyed-request.ts"
import { apiSource, folderOf, writeFiles } from "../support/own-apis.ts"
import { tempDir } from "../support/temp.ts"
import { hasTurn } from "../support/turns.ts"
import { until } from "../support/until.ts"
import { seedOne } from "./accounts.ts"
import { childrenOf, runJson, serve } from "./support.ts"

const dir = tempDir()

/** A call of it. A new connection for each goes to any worker. */
const calling = (text: string) =>
  postWith({ text }, { headers: { "content-type": "application/json", connection: "close" } })
const shout = "/v1/shout?format=json"

/** An API that answers with the number of its version, in a folder of its own. */
const version = (number: number) => ({
  "shout/index.ts": apiSource("shout", {
    run: `return { shouted: "${number}" }`,
    shouted: String(number),
    credits: number,
  }),
})

async function startTwo(apis: string) {
  const { db, key, used, call } = await seedOne(dir, { plan: "enterprise" })
  const admin = await runJson("admin-key", "create", "--name", "ops", "--db", db)
  const server = await serve(db, "--workers", "2", "--apis", apis)
  return {
    ...{ server, key, adminKey: admin.key, used, call },
    reload: () => void process.kill(server.event.pid, "SIGHUP"),
    /** Calls until both workers have answered, and returns the versions that they answered with. */
    async versions(): Promise<readonly string[]> {
      const seen = new Map<string, string>()
      while (seen.size < 2) {
        const response = await call(server.url, shout, calling("a")).catch(() => null)
        // One worker has just stopped.
        if (response === null) continue
        const { data, error } = (await response.json()) as { data?: { shouted: string }; error?: string }
        const worker = response.headers.get("x-request-id")?.split(".")[0] ?? ""
        seen.set(worker, data?.shouted ?? error ?? "")
      }
      return [...seen.values()]
    },
  }
}

describe.if(process.platform === "linux")("two workers", () => {
  /**
   * `bun run exactness --only reloads` does this across 100 reloads, and with the configuration. One commit of two tries
   * it, and each tries the same calls across changes of the configuration (config-reload.test.ts).
   */
  test.if(hasTurn(0, 2))(
    "calls while workers start again: none is refused, and each is charged the price of the version that answered",
    async () => {
      const reloads = Number(process.env.PENKNIFE_TEST_ROUNDS ?? 3)
      const apis = folderOf(version(prices.cheap))
      const { server, key, adminKey, used, reload } = await startTwo(apis)
      const found = await callAcrossReloads({
        ...{ url: server.url, key, adminKey, reloads, api: "shout" },
        body: { text: "a" },
        write: (price) => writeFiles(apis, version(price)),
        takeOver: reload,
        priceOf: ({ shouted }) => Number(shouted),
      })
      expect(found).toMatchObject({ reloads, refused: 0, answered: await used() })
      expect(found.dear).toBeGreaterThan(0)
      expect(await server.stop()).toBe(0)
      expect(await server.stderr).not.toContain("a worker ended")
    },
  )

  test("a version that ends the process that loads it keeps no worker from answering, and a mended one is served", async () => {
    const apis = folderOf(version(0))
    const { server, reload, versions } = await startTwo(apis)
    const kills = { first: 'Bun.spawnSync(["kill", "-9", String(process.pid)])' }
    writeFiles(apis, { "shout/index.ts": apiSource("shout", kills) })
    reload()
    await server.wrote("a worker ended with code 137 and is replaced", 2)
    expect(await versions()).toEqual(["0", "0"])
    writeFiles(apis, version(1))
    await until(async () => (await versions()).every((one) => one === "1"))
    expect(await server.stop()).toBe(0)
  })

  test("one in which an API closes files and connections of the process is replaced, and the other answers", async () => {
    const closes = `if (text === "close") for (let fd = 3; fd < 200; fd++) try { closeSync(fd) } catch {}
      return { shouted: "1" }`
    const source = apiSource("shout", {
      ...{ run: closes, shouted: "1" },
      first: 'import { closeSync } from "node:fs"',
    })
    const { server, call, used, versions } = await startTwo(folderOf({ "shout/index.ts": source }))
    await expect(call(server.url, shout, calling("close"))).rejects.toThrow()
    await server.wrote("a worker ended with code 137 and is replaced", 1)
    expect(await versions()).toEqual(["1", "1"])
    // The charge of the lost call may have been written.
    expect(await used()).toBeGreaterThanOrEqual(2)
    expect(await server.stop()).toBe(0)
  })
})

test("with --watch a changed file is served by a process that started after the change", async () => {
  const apis = folderOf(version(0))
  const { db, call } = await seedOne(dir)
  const server = await serve(db, "--apis", apis, "--watch")
  const answer = async () => (await readAnswer(call(server.url, shout, calling("a")))).data?.shouted
  expect(await answer()).toBe("0")
  for (const number of [1, 2]) {
    writeFiles(apis, version(number))
    await until(async () => (await answer().catch(() => "")) === String(number))
    await server.wrote(`files in ${apis} have changed: own APIs are loaded again`, number)
  }
  await until(() => childrenOf(server.event.pid).length === 1)
  expect(await server.stop()).toBe(0)
})
