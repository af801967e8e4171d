/** Charging under races, crashes and a store that fails, on the executable. */

import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readAnswer } from "../support/answer.ts"
import { tempDir } from "../support/temp.ts"
import { startLoad, successes } from "./load.ts"
import { binary, run, runJson, start } from "./support.ts"

const dir = tempDir()
let stores = 0
const linux = process.platform === "linux"

/** A store with accounts of the pro plan, a key each. */
async function seed(count: number) {
  const db = join(dir, `metering-${stores++}.db`)
  const accounts: { id: string; key: string }[] = []
  for (let i = 0; i < count; i++) {
    const { id } = await runJson("account", "create", "--name", `a${i}`, "--plan", "pro", "--db", db)
    const { key } = await runJson("key", "create", "--account", id, "--db", db)
    accounts.push({ id, key })
  }
  return { db, accounts }
}

function chargedOf(db: string, id: string): number {
  const database = new Database(db, { readonly: true })
  try {
    const account = database
      .query<{ used: number }, [string]>("SELECT used FROM accounts WHERE id = ?1")
      .get(id)
    const usage = database
      .query<{ credits: number | null }, [string]>(
        "SELECT sum(credits) AS credits FROM usage WHERE account_id = ?1",
      )
      .get(id)
    // What was charged and what is reported as usage are written together or not at all.
    expect(usage?.credits ?? 0).toBe(account?.used ?? 0)
    return account?.used ?? 0
  } finally {
    database.close()
  }
}

function integrityOf(db: string): unknown {
  const database = new Database(db)
  const result = database.query("PRAGMA integrity_check").get()
  database.close()
  return result
}

test.each(linux ? [1, 2] : [1])(
  "64 clients race 10,000 calls against 1,000 credits in %d processes: exactly 1,000 succeed",
  async (workers) => {
    const settings = join(dir, `race-${workers}.toml`)
    writeFileSync(settings, "[plans.thousand]\nmonthly_credits = 1000\n")
    const { db, accounts } = await seed(1)
    const [{ id, key }] = accounts as [{ id: string; key: string }]
    await runJson("account", "set-plan", id, "thousand", "--db", db, "--config", settings)
    const server = await start([
      "serve",
      "--port",
      "0",
      "--db",
      db,
      "--config",
      settings,
      "--workers",
      String(workers),
    ])
    const load = startLoad(server.url, [key], 64, 10_000)
    await load.done
    expect(load.seen[0]?.statuses).toEqual(
      new Map([
        [200, 1_000],
        [429, 9_000],
      ]),
    )
    expect(await server.stop()).toBe(0)
    expect(await runJson("account", "show", id, "--db", db, "--config", settings)).toMatchObject({
      used: 1_000,
      remaining: 0,
    })
    expect(chargedOf(db, id)).toBe(1_000)
  },
  60_000,
)

test("kill -9 at any moment, 30 times in a row: what clients saw is charged, and hardly more", async () => {
  const { db, accounts } = await seed(3)
  const clients = 16
  // Fixed, so that a failure can be looked at again.
  let state = 20250101
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  const paid = new Map(accounts.map(({ id }) => [id, 0]))
  for (let round = 0; round < 30; round++) {
    const server = await start(["serve", "--port", "0", "--db", db])
    const load = startLoad(
      server.url,
      accounts.map(({ key }) => key),
      clients,
      1_000_000,
    )
    await load.answered(1 + random(400))
    server.child.kill("SIGKILL")
    await Promise.all([load.done, server.child.exited])
    for (const [index, { id }] of accounts.entries()) {
      const seen = load.seen[index]
      if (!seen) throw new Error("one record per account")
      const charged = chargedOf(db, id) - (paid.get(id) ?? 0)
      expect(charged).toBeGreaterThanOrEqual(successes(seen))
      expect(charged).toBeLessThanOrEqual(successes(seen) + seen.lost)
      paid.set(id, (paid.get(id) ?? 0) + charged)
    }
    expect(integrityOf(db)).toEqual({ integrity_check: "ok" })
  }
}, 60_000)

describe.if(linux)("workers", () => {
  test("a dead one is replaced, one signal stops all", async () => {
    const { db, accounts } = await seed(1)
    const server = await start(["serve", "--port", "0", "--db", db, "--workers", "2"])
    const before = childrenOf(server.event.pid)
    expect(before).toHaveLength(2)
    process.kill(Number(before[0]), "SIGKILL")
    const stderr = server.child.stderr.getReader()
    expect(new TextDecoder().decode((await stderr.read()).value)).toContain("a worker ended")
    stderr.releaseLock()
    const answer = await fetch(`${server.url}/v1/bluetoothlookup?companyid=76`, {
      headers: { "x-api-key": accounts[0]?.key ?? "" },
      keepalive: false,
    })
    expect(answer.status).toBe(200)
    expect(await server.stop()).toBe(0)
    for (const pid of before) expect(() => process.kill(Number(pid), 0)).toThrow()
  })

  test("a limit per minute is exact over all of them", async () => {
    const { db, accounts } = await seed(1)
    const { key } = await runJson(
      "key",
      "create",
      "--account",
      accounts[0]?.id ?? "",
      "--rate-limit",
      "30",
      "--db",
      db,
    )
    const server = await start(["serve", "--port", "0", "--db", db, "--workers", "2"])
    const before = Date.now()
    const load = startLoad(server.url, [key], 32, 600)
    await load.done
    const refilled = Math.floor((Date.now() - before) / 2_000)
    await server.stop()
    const granted = load.seen[0]?.statuses.get(200) ?? 0
    expect(granted).toBeGreaterThanOrEqual(30)
    expect(granted).toBeLessThanOrEqual(30 + refilled)
    expect(granted + (load.seen[0]?.statuses.get(429) ?? 0)).toBe(600)
  })

  test("a wrong setting is said once, with the exit code that it has without workers", async () => {
    const { db } = await seed(1)
    const settings = join(dir, "no-api.toml")
    writeFileSync(settings, "[credits]\nnothing = 1\n")
    const argv = ["serve", "--port", "0", "--db", db, "--config", settings]
    const [one, two] = await Promise.all([run(argv), run([...argv, "--workers", "2"])])
    expect(two).toEqual({
      code: 2,
      out: "",
      err: "penknife: 'credits.nothing': there is no API 'nothing'.\n",
    })
    expect(one).toEqual(two)
  })

  test("workers that cannot listen are an error, not a loop", async () => {
    const { db } = await seed(1)
    const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() })
    const port = String(other.port)
    const { code, out, err } = await run(["serve", "--port", port, "--db", db, "--workers", "2"])
    await other.stop(true)
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toContain("choose a free port with --port")
    expect(err).toContain("A worker ended before it listened")
  })
})

describe.if(linux)("a store that fails", () => {
  const call = async (url: string, key: string) => {
    const answer = await fetch(`${url}/v1/bluetoothlookup?companyid=76`, { headers: { "x-api-key": key } })
    return { status: answer.status, error: (await readAnswer(answer)).error }
  }
  const unavailable = { status: 503, error: expect.stringContaining("Nothing was charged") }

  test("disk full: 503 until there is room, then on without a restart", async () => {
    const { db, accounts } = await seed(1)
    const [{ id, key }] = accounts as [{ id: string; key: string }]
    // A file-size limit is a full disk to whoever writes; ignoring the signal makes it an error of the write.
    const shell = `trap '' XFSZ; exec ${binary} serve --port 0 --db ${db} --json`
    const child = Bun.spawn(["sh", "-c", shell], { stdout: "pipe", stderr: "pipe" })
    const reader = child.stdout.getReader()
    const { url } = JSON.parse(new TextDecoder().decode((await reader.read()).value))
    expect(await call(url, key)).toMatchObject({ status: 200 })

    limitFiles(child.pid, "1")
    expect(await call(url, key)).toEqual(unavailable)
    expect(await call(url, key)).toEqual(unavailable)
    expect((await fetch(`${url}/health`)).status).toBe(200)

    limitFiles(child.pid, "unlimited")
    expect(await call(url, key)).toMatchObject({ status: 200 })
    expect(chargedOf(db, id)).toBe(2)
    child.kill("SIGTERM")
    expect(await child.exited).toBe(0)
    const log = await child.stderr.text()
    expect(log).toContain("SQLITE_")
    expect(log).not.toContain(key.slice(0, 12))
    expect(integrityOf(db)).toEqual({ integrity_check: "ok" })
  })

  test("locked by another process: 503 while it lasts, then on without a restart", async () => {
    const { db, accounts } = await seed(1)
    const [{ id, key }] = accounts as [{ id: string; key: string }]
    const server = await start(["serve", "--port", "0", "--db", db])
    expect(await call(server.url, key)).toMatchObject({ status: 200 })
    const other = new Database(db)
    other.run("BEGIN IMMEDIATE")
    expect(await call(server.url, key)).toEqual(unavailable)
    other.run("ROLLBACK")
    other.close()
    expect(await call(server.url, key)).toMatchObject({ status: 200 })
    expect(await server.stop()).toBe(0)
    expect(chargedOf(db, id)).toBe(2)
  })

  test("corrupt: a clear error at the start, and no 200 that is not charged", async () => {
    const { db } = await seed(1)
    const octets = readFileSync(db)
    octets.fill(0x5a, 4_096)
    writeFileSync(db, octets)
    const { code, err } = await run(["serve", "--port", "0", "--db", db])
    expect(code).toBe(1)
    expect(err).toContain("malformed")
    expect(err).not.toContain("    at ")
  })
})

/** Child processes, as Linux lists them. */
function childrenOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")
}

function limitFiles(pid: number, soft: string): void {
  const { exitCode } = Bun.spawnSync(["prlimit", "--pid", String(pid), `--fsize=${soft}:unlimited`])
  expect(exitCode).toBe(0)
}
