/** Configuration that changes while several processes serve, on the executable. */
import { describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../support/temp.ts"
import { until } from "../support/until.ts"
import { seedOne } from "./accounts.ts"
import { childrenOf, run, runJson, serve } from "./support.ts"

const dir = tempDir()

describe.if(process.platform === "linux")("two workers", () => {
  test("take a configuration over together, or not at all, and no call is refused", async () => {
    const { db } = await seedOne(dir)
    const file = join(dir, "penknife.toml")
    const price = (credits: number) => writeFileSync(file, `[credits]\nhmac = ${credits}\n`)
    price(1)
    const account = await runJson("account", "create", "--name", "Ann", "--plan", "enterprise", "--db", db)
    const { key } = await runJson("key", "create", "--account", account.id, "--db", db)
    const admin = await runJson("admin-key", "create", "--name", "ops", "--db", db)
    const server = await serve(db, "--workers", "2", "--config", file)
    const env = { PENKNIFE_SERVER: server.url, PENKNIFE_ADMIN_KEY: admin.key }
    const reload = () => fetch(`${server.url}/admin/v1/config/reload`, reloadWith(admin.key))

    let calls = 0
    let refused = 0
    let stopping = false
    const client = async () => {
      while (!stopping) {
        // A new connection for each call goes to any worker.
        const headers = { "x-api-key": key, "content-type": "application/json", connection: "close" }
        const body = JSON.stringify({ message: "m", secret: "s" })
        const response = await fetch(`${server.url}/v1/hmac`, { method: "POST", headers, body })
        await response.arrayBuffer()
        if (response.status !== 200) refused++
        calls++
      }
    }
    const clients = Array.from({ length: 8 }, client)
    for (let round = 0; round < 10; round++) {
      price(round % 2 === 0 ? 1_000 : 1)
      const response = await reload()
      expect(await response.json()).toMatchObject({ data: [{ setting: "credits.hmac" }] })
      const before = calls
      await until(() => calls > before + 50)
    }
    stopping = true
    await Promise.all(clients)
    expect(refused).toBe(0)
    const used = (await runJson("account", "show", account.id, "--db", db)).used
    // 1 or 1,000 for each call, so the sum is the number of calls and a multiple of 999.
    expect((used - calls) % 999).toBe(0)
    expect(used).toBeGreaterThan(calls)

    writeFileSync(file, "[credits]\nhmac = 5\nmax_calls\n")
    const wrong = await run(["reload"], env)
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("line 3")])

    // A change of the file over the admin API reaches both workers, keeps what else is in it, or changes nothing.
    price(5)
    await reload()
    const put = (changes: object) =>
      fetch(`${server.url}/admin/v1/config`, {
        ...reloadWith(admin.key),
        method: "PATCH",
        body: JSON.stringify({ changes }),
      })
    expect(await (await put({ "credits.hmac": 6 })).json()).toMatchObject({
      data: [{ setting: "credits.hmac", before: 5, after: 6 }],
    })
    expect(readFileSync(file, "utf8")).toBe("[credits]\nhmac = 6\n")
    expect((await put({ "credits.hmca": 6 })).status).toBe(400)
    const prices = new Set<number>()
    for (let count = 0; count < 40; count++) {
      const response = await fetch(`${server.url}/admin/v1/plans`, {
        headers: { authorization: `Bearer ${admin.key}`, connection: "close" },
      })
      const { prices: shown } = (await response.json()) as { prices: { hmac: number } }
      prices.add(shown.hmac)
    }
    expect([...prices]).toEqual([6])
    for (let round = 0; round < 10; round++) {
      const racing = await Promise.all(
        [1, 2, 3, 4, 5, 6].map((credits) => put({ "credits.hmac": credits * 10 + round })),
      )
      // Each is made, or came after another: none takes the file of another worker for one that was changed by hand.
      expect(racing.map(({ status }) => status).filter((status) => status !== 200 && status !== 412)).toEqual(
        [],
      )
    }
    expect(await runJson("config", "diff", "--server", server.url, "--admin-key", admin.key)).toEqual([])

    // A worker that starts later has the configuration of the others, whatever the file says by now.
    price(1)
    await reload()
    writeFileSync(file, "not valid")
    for (const pid of childrenOf(server.event.pid)) process.kill(pid, "SIGKILL")
    await server.wrote("a worker ended with code 137 and is replaced", 2)
    await until(async () => (await fetch(`${server.url}/ready`).catch(() => null))?.status === 200)
    expect(await server.stop()).toBe(0)
  })
})

function reloadWith(key: string): RequestInit {
  return {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: "{}",
  }
}
