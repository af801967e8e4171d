/** The executable as a test double in CI. */
import { describe, expect, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runningOf } from "../../src/app/admin-parts.ts"
import { keyOfStart } from "../../src/app/mock-start.ts"
import { prepareApis } from "../../src/app/prepare.ts"
import { loadConfig } from "../../src/config/load.ts"
import { mockOwn } from "../../src/config/options.ts"
import { startMock } from "../../src/mock-client/start-mock.ts"
import { readMetrics, sumOf } from "../support/metrics.ts"
import { answersOf, mixedRequests } from "../support/mixed-requests.ts"
import { liveByTurns, newSession } from "../support/mock-sessions.ts"
import { runProgram } from "../support/run-program.ts"
import { tempDir } from "../support/temp.ts"
import { isAll } from "../support/turns.ts"
import { until } from "../support/until.ts"
import { binary, isAlive, run, start } from "./support.ts"

const dir = tempDir()
const root = join(import.meta.dir, "../..")
const linux = process.platform === "linux"

test("two processes give the same bytes for the same 250 mixed requests, and so does a reset one", async () => {
  const requests = mixedRequests(250)
  const first = await startMock({ command: [binary] })
  const second = await startMock({ command: [binary] })
  const expected = await answersOf(first.url, requests)
  expect(await answersOf(second.url, requests)).toEqual(expected)
  expect(await journalOf(second.url)).toBe(await journalOf(first.url))
  await second.reset()
  expect(await answersOf(second.url, requests)).toEqual(expected)
  const statuses = new Set(expected.map((answer) => / → (\d+)/.exec(answer)?.[1]))
  for (const status of ["200", "400", "401", "403", "404", "429", "503"]) expect(statuses).toContain(status)
  const all = expected.join()
  for (const type of ["application/json", "application/xml", "application/yaml", "text/csv"])
    expect({ type, seen: all.includes(`["content-type","${type}`) }).toEqual({ type, seen: true })
  for (const part of ['"extensions":{"code":', '"results":[{"index":0', '"id":"msg_'])
    expect({ part, seen: all.includes(part) }).toEqual({ part, seen: true })
  await Promise.all([first.stop(), second.stop()])
})

const usual: { readonly key: string } = JSON.parse(readFileSync(join(root, "dist/mock-start.json"), "utf8"))
const keyOf = async (flags: Record<string, string>) => {
  const config = loadConfig({ flags, env: {}, file: null }, mockOwn)
  return keyOfStart(runningOf(config, await prepareApis(config)))
}

test("the store at the start, which the executable holds: is that without settings alone", async () => {
  expect(await keyOf({})).toBe(usual.key)
  const others = { plan: "free", seedTimeMs: "2025-02-01T00:00:00Z", tryCalls: "3" }
  for (const [name, value] of Object.entries(others))
    expect({ [name]: (await keyOf({ [name]: value })) === usual.key }).toEqual({ [name]: false })
})

test("the store at the start, which the executable holds: has what another one makes at its start", async () => {
  // This setting changes nothing while calls without a key are refused, but such a store is made anew.
  const flags = ["--try-plan", "starter"]
  expect(await keyOf({ tryPlan: "starter" })).not.toBe(usual.key)
  const held = await start(["mock", "--port", "0"])
  const made = await start(["mock", "--port", "0", ...flags])
  const seen: string[] = []
  for (const name of ["accounts", "keys", "admins", "audit", "notices", "usage"]) {
    const read = async ({ url }: { readonly url: string }) =>
      (await fetch(`${url}/admin/v1/${name}`, { headers: { "x-admin-key": "mock-admin" } })).json()
    const answer = await read(made)
    expect(await read(held)).toEqual(answer)
    seen.push(JSON.stringify(answer))
  }
  expect(seen.join()).toContain("mock-rate-limited")
  await Promise.all([held.stop(), made.stop()])
})

const kilobytesOf = (pid: number | null) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])

test.if(linux)(
  "a thousand sessions that no test uses yet take at most 50 kB each; one more is refused",
  async () => {
    await using mock = await startMock({ command: [binary] })
    await newSession(mock.url)
    const before = kilobytesOf(mock.pid)
    for (let made = 1; made < 1_000; made++) await newSession(mock.url)
    expect((kilobytesOf(mock.pid) - before) / 999).toBeLessThanOrEqual(50)
    await expect(newSession(mock.url)).rejects.toThrow("There are 1000 sessions, the most at once.")
    await lookUp(mock)
  },
)

// Only check --all tries it, for 27 s: mock-sessions.test.ts holds what used sessions see and take, with fewer of them.
test.if(linux && isAll)(
  "a thousand used sessions see nothing of each other and take at most 250 kB each; one more is refused",
  async () => {
    await using mock = await startMock({ command: [binary] })
    const before = kilobytesOf(mock.pid)
    await liveByTurns(mock.url, 1_000)
    expect((kilobytesOf(mock.pid) - before) / 1_000).toBeLessThanOrEqual(250)
    await expect(newSession(mock.url)).rejects.toThrow("There are 1000 sessions, the most at once.")
    expect(await mock.requests()).toEqual([])
  },
)

describe.if(linux)("12 starts and stops", () => {
  test("leave no process and no file", async () => {
    const cwd = join(dir, "cycles")
    mkdirSync(cwd)
    const filesBefore = openFiles()
    const pids: number[] = []
    const script = `cd ${cwd} && TMPDIR=${cwd} HOME=${cwd} exec ${binary} "$@"`
    const cycle = async () => {
      const mock = await startMock({ command: ["sh", "-c", script, "mock"] })
      pids.push(Number(mock.pid))
      expect((await lookUp(mock)).status).toBe(200)
      await mock.stop()
    }
    for (let i = 0; i < 3; i++) await Promise.all([cycle(), cycle(), cycle(), cycle()])
    expect(pids).toHaveLength(12)
    expect(pids.filter(isAlive)).toEqual([])
    expect(readdirSync(cwd)).toEqual([])
    // The pipes of a process are closed a moment after its end was noticed.
    await until(() => openFiles() <= filesBefore + 10)
  })

  test("end with the test process, also when it is killed", async () => {
    const script = `
      import { startMock } from ${JSON.stringify(join(root, "src/mock-client/start-mock.ts"))}
      const mock = await startMock({ command: [${JSON.stringify(binary)}] })
      console.log(mock.pid)
      await new Promise(() => setInterval(() => {}, 1_000))`
    const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" })
    const { value } = await child.stdout.getReader().read()
    const pid = Number(new TextDecoder().decode(value))
    child.kill("SIGKILL")
    await child.exited
    // The process that inherits an orphan may never read its exit code.
    await until(() => !isAlive(pid))
  })
})

test("has metrics, ends with 0 on a signal, and prints only its address", async () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const mock = await start(["mock", "--port", "0"])
    const url = expect.stringMatching(/^http:\/\/127/)
    expect(mock.event).toMatchObject({ event: "listening", url, pid: mock.child.pid })
    await lookUp({ url: mock.url, key: "mock-pro" })
    const series = readMetrics(await (await fetch(`${mock.url}/metrics`)).text())
    expect(sumOf(series, "penknife_requests_total", 'api="bluetoothlookup"')).toBe(1)
    expect(await mock.stop(signal)).toBe(0)
    expect(await mock.stderr).toBe("")
  }
})

test("a port in use is an error, and is not shared with the mock that has it", async () => {
  const first = await start(["mock", "--port", "0"])
  const { port } = new URL(first.url)
  const second = await run(["mock", "--port", port, "--stop-with-stdin"])
  expect({ code: second.code, out: second.out }).toEqual({ code: 1, out: "" })
  expect(second.err).toMatch(new RegExp(`Is port ${port} in use\\?.*choose a free port with --port`))
  expect(await first.stop()).toBe(0)
})

test("TLS with a certificate that it makes, which clients trust through the CA that it writes", async () => {
  const file = join(dir, "ca.pem")
  const names = "api.example.com,*.example.org"
  const mock = await start(["mock", "--port", "0", "--tls-self-signed", names, "--ca-out", file])
  const ca = readFileSync(file, "utf8")
  const { port } = new URL(mock.url)
  expect(mock.url).toBe(`https://127.0.0.1:${port}`)
  for (const name of ["api.example.com", "x.example.org", "localhost", "127.0.0.1"]) {
    const answer = await fetch(`https://127.0.0.1:${port}/v1/bluetoothlookup?companyid=76`, {
      headers: { "x-api-key": "mock-pro", host: name },
      tls: { ca, serverName: name },
    })
    expect(answer.status).toBe(200)
  }
  await expect(fetch(`${mock.url}/health`, { tls: { ca, serverName: "other.example" } })).rejects.toThrow()
  await expect(fetch(`${mock.url}/health`)).rejects.toThrow()
  expect(await mock.stop()).toBe(0)
})

test("TLS from a test, faults included", async () => {
  const mock = await startMock({ command: [binary], tls: ["api.example.com"] })
  expect(mock.ca).toStartWith("-----BEGIN CERTIFICATE-----")
  const tls = { ca: mock.ca ?? "" }
  const call = () =>
    fetch(`${mock.url}/v1/bluetoothlookup?companyid=76`, { headers: { "x-api-key": mock.key }, tls })
  expect((await call()).status).toBe(200)
  await mock.fault({ reset: true })
  await expect(call()).rejects.toThrow()
  await mock.stop()
})

// package.test.ts runs the examples of every test runner with the npm package.
test("an example runs with the executable that PENKNIFE_BIN names", async () => {
  const env = { ...process.env, NO_COLOR: "1", PENKNIFE_BIN: binary }
  const command = ["node", "--test", "examples/node/mail-check.test.mjs"]
  const { out, err, code } = await runProgram(command, { cwd: root, env })
  expect({ code, text: out + err }).toEqual({ code: 0, text: expect.stringMatching(/pass 4\n.*fail 0/) })
})

test("a state that was printed starts again with the same bytes, and a mistake starts nothing", async () => {
  const print = (...args: string[]) => Bun.spawnSync([binary, "mock", "--print-seed", ...args], { env: {} })
  const first = print()
  const file = join(dir, "seed.yaml")
  writeFileSync(file, first.stdout)
  const second = print("--seed", file)
  expect([first.exitCode, second.exitCode]).toEqual([0, 0])
  expect(second.stdout.toString()).toBe(first.stdout.toString())
  expect(first.stdout.toString()).toContain("text: mock-free")
  writeFileSync(file, "accounts:\n  - name: A\n    plan: gold\n")
  const refused = print("--seed", file)
  expect([refused.exitCode, refused.stdout.toString()]).toEqual([2, ""])
  expect(refused.stderr.toString()).toContain(`${file}:3:11: accounts[0].plan: There is no plan 'gold'.`)
  const schema = Bun.spawnSync([binary, "mock", "--seed-schema"], { env: {} })
  expect(Object.keys(JSON.parse(schema.stdout.toString()).properties)).toContain("accounts")
})

test("startMock says why a mock did not start", async () => {
  await expect(startMock({ command: [binary], plan: "gold" })).rejects.toThrow("--plan must be one of")
  await expect(startMock({ command: ["/none/penknife"] })).rejects.toThrow("/none/penknife cannot be run")
  await expect(startMock({ command: ["echo", "hello"] })).rejects.toThrow(
    "echo is not penknife: it printed 'hello mock --json --stop-with-stdin --port 0'",
  )
  await expect(startMock({ command: [binary], tls: [] })).rejects.toThrow(
    "--tls-self-signed must be host names",
  )
})

/** The journal without the port, which the client writes into its requests. */
async function journalOf(url: string): Promise<string> {
  const text = await (await fetch(`${url}/_mock/requests`)).text()
  expect(JSON.parse(text).data.requests.length).toBeGreaterThan(150)
  return text.replaceAll(new URL(url).host, "HOST")
}

const lookUp = (mock: { readonly url: string; readonly key: string }): Promise<Response> =>
  fetch(`${mock.url}/v1/bluetoothlookup?companyid=76`, { headers: { "x-api-key": mock.key } })

/** Files and sockets that this process has open. */
const openFiles = (): number => readdirSync("/proc/self/fd").length
