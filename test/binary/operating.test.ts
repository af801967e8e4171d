/** The executable as an operator drives it. */

import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readLines } from "../support/log.ts"
import { runProgram } from "../support/run-program.ts"
import { tempDir } from "../support/temp.ts"
import { lookUp, seedOne } from "./accounts.ts"
import { binary, childrenOf, run, runJson, serve, watch } from "./support.ts"

const dir = tempDir()

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s ends it with 0 and leaves a store that opens",
  async (signal) => {
    const db = join(dir, `${signal}.db`)
    const server = await serve(db)
    const listening = { event: "listening", url: expect.stringMatching(/^http:/), pid: server.child.pid }
    expect(server.event).toEqual(listening)
    expect(await server.stop(signal)).toBe(0)
    // Two lines and nothing else. The link does not wait for the log, which is written in pieces.
    const lines = readLines(await server.stderr)
    expect(lines.sort((a, b) => (String(a.message) < String(b.message) ? -1 : 1))).toMatchObject([
      { level: "info", message: "console link" },
      { level: "info", message: "new data file", file: db },
    ])
    const files = readdirSync(dir).filter((name) => name.startsWith(signal))
    expect(files.sort()).toEqual([`${signal}.db`, `${signal}.db-lock`])
    expect(await runJson("account", "list", "--db", db)).toEqual([])
  },
)

test("a port in use is an error that says what to do, and no data file is made", async () => {
  const server = await serve(join(dir, "a.db"))
  const { port } = new URL(server.url)
  const { code, err } = await run(["serve", "--demo", "--port", port, "--db", join(dir, "demo.db")])
  expect(code).toBe(1)
  expect(err).toContain("--port")
  expect(err).not.toContain(" at ")
  await server.stop()
  expect(readdirSync(dir).filter((name) => name.startsWith("demo"))).toEqual([])
})

test("a .env or bunfig.toml in the working directory has no effect", async () => {
  const here = join(dir, "own-settings")
  mkdirSync(here)
  writeFileSync(join(here, ".env"), "PENKNIFE_PORT=nonsense\n")
  writeFileSync(join(here, "bunfig.toml"), 'preload = ["./missing.ts"]\n')
  const command = [binary, "call", "bluetoothlookup", "--companyid", "76", "--json"]
  const { out, ...rest } = await runProgram(command, { cwd: here })
  expect(rest).toEqual({ code: 0, err: "" })
  expect(JSON.parse(out).company).toBe("Apple, Inc.")
})

test.if(process.platform === "linux").each([1, 2])(
  "%d processes go on when nobody reads their output any more, and stop with 0",
  async (workers) => {
    const { db, key, call } = await seedOne(dir)
    // One line of stdout is read, and nothing of stderr. Every later write fails with a broken pipe.
    const script = 'exec "$0" serve --port 0 --json --db "$1" --workers "$2" > >(head -n 1) 2> >(true)'
    const command = ["bash", "-c", script, binary, db, String(workers)]
    const server = await watch(Bun.spawn(command, { stdout: "pipe", stderr: "pipe" }))
    const statuses = async () => {
      const calls = Array.from({ length: 32 }, () => call(server.url, lookUp, { keepalive: false }))
      return new Set((await Promise.all(calls)).map(({ status }) => status))
    }
    expect(await statuses()).toEqual(new Set([200]))
    // Each of these is logged.
    const other = new Database(db)
    // The service may still be writing.
    other.run("PRAGMA busy_timeout = 30000")
    other.run("BEGIN IMMEDIATE")
    expect(await statuses()).toEqual(new Set([503]))
    other.run("ROLLBACK")
    other.close()
    const [worker] = workers > 1 ? childrenOf(server.event.pid) : []
    // The end of a worker is reported, too.
    if (worker !== undefined) process.kill(worker, "SIGKILL")
    expect(await untilAnswered(server.url + lookUp, key)).toBe(200)
    expect(await server.stop()).toBe(0)
  },
)

/** The status of the first answer. A connection to a process that was just killed gets none and is tried again. */
async function untilAnswered(url: string, key: string): Promise<number> {
  for (;;) {
    const answer = await fetch(url, { headers: { "x-api-key": key }, keepalive: false }).catch(() => null)
    if (answer) return answer.status
  }
}

test("openapi prints the whole document that the server sends, though it is more than a pipe holds", async () => {
  const server = await serve(join(dir, "openapi.db"))
  const served = await (await fetch(`${server.url}/openapi.json`)).text()
  expect(served.length).toBeGreaterThan(100_000)
  expect(await run(["openapi"])).toEqual({ code: 0, out: served, err: "" })
  await server.stop()
})
