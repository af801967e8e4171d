/** The commands that start a service and a mock, run in this process. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type CliTestOptions, runCliForTest } from "./support/cli.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
let stores = 0
const newStore = () => join(dir, `start-${stores++}.db`)
const run = (line: string, options?: CliTestOptions) => runCliForTest(line.split(" "), options)

const portOf = async (line: string, env: Record<string, string> = {}) => {
  const ports: number[] = []
  const { code, out } = await run(line, {
    env,
    stopRequested: async () => {},
    async startMock({ port }) {
      ports.push(port)
      const mock = { url: `http://127.0.0.1:${port}`, key: "mock-key", ca: null, webhook: null }
      return { ...mock, unsent: [], seed: async () => "", async warmUp() {}, async stop() {} }
    },
  })
  expect([code, ports.length]).toEqual([0, 1])
  expect(out).toContain(`listening on http://127.0.0.1:${ports[0]}`)
  return ports[0]
}

test("mock has its own port, so that it runs beside serve, unless a setting says another", async () => {
  const file = join(dir, "mock-port.toml")
  writeFileSync(file, "port = 8001\n")
  expect(await portOf("mock")).toBe(8090)
  expect(await portOf(`mock --config ${file}`)).toBe(8001)
  expect(await portOf(`mock --config ${file}`, { PENKNIFE_PORT: "8002" })).toBe(8002)
  expect(await portOf("mock --port 8080", { PENKNIFE_PORT: "8002" })).toBe(8080)
})

test("mock says so in its help, as serve does of its own", async () => {
  const portIn = async (command: string) => {
    const help = (await run(`${command} --help`)).out.replace(/\s+/g, " ")
    return /--port <NUMBER> [^(]*\(default: (\d+), env: PENKNIFE_PORT\)/.exec(help)?.[1]
  }
  expect([await portIn("mock"), await portIn("serve")]).toEqual(["8090", "8080"])
})

test.each([
  ["mock --seed-time today", "--seed-time must be an instant"],
  ["mock --plan gold", "--plan must be one of"],
  ["mock --dns /none.yaml", "--dns /none.yaml"],
  ["mock --ca-out ca.pem", "--ca-out needs --tls-self-signed"],
  ["mock --tls-self-signed a/b", "--tls-self-signed must be host names"],
  ["mock --tls-self-signed a.example --ca-out /none/ca.pem", "--ca-out /none/ca.pem"],
  ["serve --workers 2 --admin 127.0.0.1:0", "--admin needs a port other than 0"],
])("%s is wrong usage", async (line, message) => {
  const store = line.startsWith("serve") ? ` --db ${newStore()}` : ""
  const { code, out, err } = await run(`${line} --port 0${store}`)
  expect({ code, out, err }).toEqual({ code: 2, out: "", err: expect.stringContaining(message) })
})

test("serve prints where it listens, creates the demo key once, and the printed call works", async () => {
  const db = newStore()
  const first = await serve(`serve --port 0 --db ${db} --demo`, async (out) => {
    const [, key = "", url = ""] = /curl -H 'x-api-key: (pk-\w+)' '([^']+)'/.exec(out) ?? []
    return (await fetch(url, { headers: { "x-api-key": key } })).json()
  })
  expect(first.result.code).toBe(0)
  expect(first.result.out).toMatch(/^penknife listening on http:\/\/127\.0\.0\.1:\d+\n/)
  expect(first.seen).toMatchObject({ status: "ok", data: { company: "Apple, Inc." } })

  const second = await serve(`serve --port 0 --db ${db} --demo`, async () => null)
  expect(second.result.out).toMatch(/^penknife listening on \S+\n$/)
})

test("serve: --json prints events, and settings come from the file and the environment", async () => {
  const file = join(dir, "settings.toml")
  writeFileSync(file, `db = ${JSON.stringify(newStore())}\nport = 65536\n[credits]\nhmac = 7\n`)
  const env = { PENKNIFE_PORT: "0" }
  const { result } = await serve(`serve --json --config ${file}`, async () => null, { env })
  expect(JSON.parse(result.out)).toEqual({
    event: "listening",
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    pid: process.pid,
  })
})

test("serve: a host that it cannot listen on is refused in whole sentences, with what to change", async () => {
  // Reserved for documentation and tests (RFC 5737, RFC 6761): no machine has them.
  const serving = `serve --port 0 --db ${newStore()} --host`
  for (const line of [`${serving} 192.0.2.1`, `${serving} nowhere.invalid`, "mock --host nowhere.invalid"]) {
    const { code, err } = await run(line)
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^penknife: [A-Z][^\n]+\.\n$/) })
    expect(err).toContain(" machine")
    expect(err).toContain("check --host.")
    expect(err).not.toContain("port 0")
  }
})

/** Runs `serve`, calls `look` with what it has printed when it listens, and stops it. */
async function serve<T>(line: string, look: (out: string) => Promise<T>, options: CliTestOptions = {}) {
  const started = Promise.withResolvers<void>()
  const stop = Promise.withResolvers<void>()
  let out = ""
  const running = run(line, {
    ...options,
    stopRequested: () => stop.promise,
    onOut: (text) => {
      out += text
      // The rest of what it prints comes in the same turn.
      queueMicrotask(started.resolve)
    },
  })
  await started.promise
  const seen = await look(out)
  stop.resolve()
  return { seen, result: await running }
}
