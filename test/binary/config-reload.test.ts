/** Configuration that changes while several processes serve, on the executable. */
import { describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { callAcrossReloads, prices } from "../../scripts/exactness/reloads.ts"
import { tempDir } from "../support/temp.ts"
import { until } from "../support/until.ts"
import { seedOne } from "./accounts.ts"
import { childrenOf, run, runJson, serve } from "./support.ts"

const dir = tempDir()
/** `bun run exactness --only reloads` sets a higher number. */
const reloads = 2 * Number(process.env.PENKNIFE_TEST_ROUNDS ?? 2)

describe.if(process.platform === "linux")("two workers", () => {
  test("take a configuration over, or not at all, and no call is refused", async () => {
    const { db, key, used } = await seedOne(dir, { plan: "enterprise" })
    const file = join(dir, "penknife.toml")
    const write = (credits: number) => writeFileSync(file, `[credits]\nhmac = ${credits}\n`)
    write(prices.cheap)
    const admin = await runJson("admin-key", "create", "--name", "ops", "--db", db)
    const server = await serve(db, "--workers", "2", "--config", file)
    const env = { PENKNIFE_SERVER: server.url, PENKNIFE_ADMIN_KEY: admin.key }
    /** The price that each of 20 answers shows, over new connections. */
    const shown = async () => {
      const found = new Set<number>()
      for (let count = 0; count < 20; count++) {
        const response = await fetch(`${server.url}/admin/v1/plans`, {
          headers: { authorization: `Bearer ${admin.key}`, connection: "close" },
        })
        found.add(((await response.json()) as { prices: { hmac: number } }).prices.hmac)
      }
      return [...found]
    }
    const allShow = (credits: number) => until(async () => (await shown()).every((one) => one === credits))

    const found = await callAcrossReloads({
      ...{ url: server.url, key, adminKey: admin.key, reloads, api: "hmac", write, takeOver: null },
      body: { message: "m", secret: "s" },
      priceOf: () => null,
    })
    expect(found).toMatchObject({ reloads, refused: 0, lost: 0 })
    // 1 or 1,000 for each call, so the sum is the number of calls and a multiple of 999.
    const dear = ((await used()) - found.calls) / 999
    expect(Number.isInteger(dear)).toBe(true)
    expect(dear).toBeGreaterThan(0)

    writeFileSync(file, "[credits]\nhmac = 5\nmax_calls\n")
    const wrong = await run(["reload"], env)
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("line 3")])
    expect(await shown()).toEqual([1])

    // A change over the admin API reaches both workers, or changes nothing. A setting that needs a restart waits in both.
    writeFileSync(file, "no_outbound = true\n[credits]\nhmac = 5\n")
    expect((await run(["reload"], env)).code).toBe(0)
    await allShow(5)
    const put = (changes: object) =>
      fetch(`${server.url}/admin/v1/config`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${admin.key}`, "content-type": "application/json" },
        body: JSON.stringify({ changes }),
      })
    expect((await put({ "credits.hmca": 6 })).status).toBe(400)
    expect(await (await put({ "credits.hmac": 6 })).json()).toMatchObject({
      data: [{ setting: "no_outbound" }, { setting: "credits.hmac", before: 5, after: 6 }],
    })
    await allShow(6)
    expect(readFileSync(file, "utf8")).toBe("no_outbound = true\n[credits]\nhmac = 6\n")

    // After SIGHUP too, unless the file cannot be used.
    writeFileSync(file, "no_outbound = true\n[credits]\nhmac = 7\n")
    process.kill(server.event.pid, "SIGHUP")
    await allShow(7)
    writeFileSync(file, "not valid")
    process.kill(server.event.pid, "SIGHUP")
    await server.wrote("configuration not changed; the old one stays", 1)

    // A worker that starts later has the configuration of the others, whatever the file says by now, and the same settings wait.
    const workers = childrenOf(server.event.pid)
    for (const pid of workers) process.kill(pid, "SIGKILL")
    await server.wrote("a worker ended with code 137 and is replaced", workers.length)
    await until(async () => (await fetch(`${server.url}/ready`).catch(() => null))?.status === 200)
    expect(await shown()).toEqual([7])
    writeFileSync(file, "no_outbound = true\n[credits]\nhmac = 7\n")
    const diff = await runJson("config", "diff", "--server", server.url, "--admin-key", admin.key)
    expect(diff).toMatchObject([{ setting: "no_outbound", needs_restart: true }])
    expect(await server.stop()).toBe(0)
  })
})
