/** Several processes on one port and one data file, on the executable. */

import { describe, expect, test } from "bun:test"
import { adminClient, createTestAdminKey } from "../support/admin.ts"
import { freePort } from "../support/free-port.ts"
import { tempDir } from "../support/temp.ts"
import { lookUp, seedOne } from "./accounts.ts"
import { childrenOf, isAlive, run, serve, start } from "./support.ts"

const dir = tempDir()

describe.if(process.platform === "linux")("workers", () => {
  test("dead ones are replaced, and one signal stops all", async () => {
    const { db, key } = await seedOne(dir)
    const server = await serve(db, "--workers", "2")
    const first = childrenOf(server.event.pid)
    expect(first).toHaveLength(2)
    for (const pid of first) process.kill(pid, "SIGKILL")
    await server.wrote("a worker ended with code 137 and is replaced", 2)
    await bothServe(server.url, key)
    const second = childrenOf(server.event.pid)
    expect(second).toHaveLength(2)
    expect(second.filter((pid) => first.includes(pid))).toEqual([])
    expect(await server.stop()).toBe(0)
    expect([...first, ...second].filter(isAlive)).toEqual([])
  })

  test("one that is stuck is killed and replaced, and the other one stays", async () => {
    const { db, key } = await seedOne(dir)
    const argv = ["serve", "--port", "0", "--db", db, "--workers", "2"]
    const server = await start(argv, { PENKNIFE_HEARTBEAT_MS: "300" })
    const [stuck = 0, other = 0] = childrenOf(server.event.pid)
    process.kill(stuck, "SIGSTOP")
    await server.wrote("a worker has been silent for 3 seconds and is killed", 1)
    await server.wrote("a worker ended with code 137 and is replaced", 1)
    await bothServe(server.url, key)
    const workers = childrenOf(server.event.pid)
    expect([workers.length, workers.includes(stuck), workers.includes(other)]).toEqual([2, false, true])
    expect(await server.stop()).toBe(0)
  })

  test("one that does not stop is killed, and the exit code is 1", async () => {
    const { db } = await seedOne(dir)
    const server = await serve(db, "--workers", "2")
    const workers = childrenOf(server.event.pid)
    process.kill(workers[0] ?? 0, "SIGSTOP")
    expect(await server.stop()).toBe(1)
    // Before it is the link to the console, as on every first start.
    expect(await server.stderr).toMatch(
      /^(?:\{.*"console link"\}\n)?penknife: 1 of 2 workers had to be killed: they did not stop within 12 seconds\.\n$/,
    )
    expect(workers.filter(isAlive)).toEqual([])
  })

  test("a port that another service holds is refused, shared or not", async () => {
    const { db } = await seedOne(dir)
    for (const reusePort of [true, false]) {
      const place = { hostname: "127.0.0.1", port: freePort(), reusePort }
      const other = Bun.serve({ ...place, fetch: () => new Response("other") })
      const { port } = other
      const argv = ["serve", "--port", String(port), "--db", db, "--workers", "2"]
      const { code, out, err } = await run(argv)
      expect({ code, out }).toEqual({ code: 1, out: "" })
      expect(err).toContain("choose a free port with --port")
      expect(err).not.toContain("    at ")
      await other.stop(true)
      // The port is free once the other service has stopped.
      const server = await start(argv)
      expect(server.url).toBe(`http://127.0.0.1:${port}`)
      expect(await server.stop()).toBe(0)
    }
  })

  test("all share the address of the admin API, and stop with it", async () => {
    const { db } = await seedOne(dir)
    const { key } = await createTestAdminKey(db)
    const port = freePort()
    const server = await serve(db, "--workers", "2", "--admin", `127.0.0.1:${port}`)
    const ask = adminClient(`http://127.0.0.1:${port}`, key)
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask("GET", "/accounts")))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const prefixes = answers.map(({ headers }) => headers.get("x-request-id")?.split(".")[0])
    expect(new Set(prefixes).size).toBe(2)
    // Where the APIs are, there is no admin API.
    const elsewhere = await fetch(`${server.url}/admin/v1/accounts`, { headers: { "x-admin-key": key } })
    expect(elsewhere.status).toBe(404)
    expect(await server.stop()).toBe(0)
    const log = await server.stderr
    expect(log.match(/admin API is served/g)).toHaveLength(1)
    expect(log).not.toContain(key)
  })

  test("workers that cannot listen are an error, not a loop", async () => {
    const { db } = await seedOne(dir)
    // An address for documentation (RFC 5737), which no machine has.
    const argv = ["serve", "--host", "192.0.2.1", "--port", "0", "--db", db, "--workers", "2"]
    const { code, out, err } = await run(argv)
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toContain("check --host")
    expect(err).toContain("A worker ended before it listened")
  })
})

/** Calls on new connections until two processes have answered. A connection is refused while no worker listens. */
async function bothServe(url: string, key: string): Promise<void> {
  const processes = new Set<string>()
  while (processes.size < 2) {
    const headers = { "x-api-key": key }
    const answer = await fetch(url + lookUp, { headers, keepalive: false }).catch(() => null)
    if (answer === null) continue
    expect(answer.status).toBe(200)
    processes.add(answer.headers.get("x-request-id")?.split(".")[0] ?? "")
  }
}
