/** Logs and metrics of the executable, with one process and with several workers. */
import { expect, onTestFinished, test } from "bun:test"
import { closeSync, constants, openSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "../support/eventually.ts"
import { readLines } from "../support/log.ts"
import { readMetrics, sumOf } from "../support/metrics.ts"
import { makePipe, tempDir } from "../support/temp.ts"
import { lookUp, seedOne } from "./accounts.ts"
import { binary, serve, watch } from "./support.ts"

const dir = tempDir()
/** Other lines that a service may write: the link of the first start, and that a busy machine held up a call. */
const besideRequests: readonly unknown[] = ["console link", "event loop held up"]

async function startWithKey(...flags: string[]) {
  const { db, key, call: request } = await seedOne(dir)
  const server = await serve(db, ...flags)
  const call = async () => {
    // A new connection each time, so that every worker gets some.
    const response = await request(server.url, lookUp, { headers: { connection: "close" } })
    await response.arrayBuffer()
    return response.status
  }
  const scrape = async () => {
    const response = await fetch(`${server.url}/metrics`, { headers: { connection: "close" } })
    expect(response.status).toBe(200)
    return readMetrics(await response.text())
  }
  return { server, key, call, scrape }
}

test("stderr has a line for every request up to the last, and stdout only the address", async () => {
  const { server, key, call } = await startWithKey()
  for (let count = 0; count < 20; count++) expect(await call()).toBe(200)
  expect(await server.stop()).toBe(0)
  const text = await server.stderr
  const lines = readLines(text).filter(({ message }) => !besideRequests.includes(message))
  expect(lines.map(({ message, status, api }) => [message, status, api])).toEqual(
    Array(20).fill(["request", 200, "bluetoothlookup"]),
  )
  expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(20)
  expect(text).not.toContain(key.slice(3, 11))
  expect(await server.stdout).toBe(`${JSON.stringify(server.event)}\n`)
})

test("--log-format pretty is for people, and --log-level silent writes nothing", async () => {
  const pretty = await startWithKey("--log-format", "pretty")
  await pretty.call()
  await pretty.server.stop()
  expect(await pretty.server.stderr).toMatch(
    /\n\[\d\d:\d\d:\d\d\.\d{3}\] INFO: request \{"requestId":"\S+","account":"acc_\w+","key":"key_\w+","api":"bluetoothlookup",.*"status":200,.*\}\n$/,
  )
  const silent = await startWithKey("--log-level", "silent")
  await silent.call()
  await silent.server.stop()
  expect(await silent.server.stderr).toBe("")
})

test.if(process.platform === "linux")(
  "a reader that does not read holds up neither calls nor the stop",
  async () => {
    const { db, call: request } = await seedOne(dir)
    // A pipe that is open for reading but never read holds 64 KB, about 250 lines.
    const pipe = makePipe(join(dir, "unread"))
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
    onTestFinished(() => closeSync(reader))
    const shell = `exec "${binary}" serve --port 0 --db "${db}" --json 2>"${pipe}"`
    const server = await watch(Bun.spawn(["sh", "-c", shell], { stdout: "pipe", stderr: "pipe" }))
    for (let count = 0; count < 600; count++) expect((await request(server.url, lookUp)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  },
)

test.if(process.platform === "linux")(
  "metrics are the sum over all workers, and keep what a dead worker has counted",
  async () => {
    const { server, call, scrape } = await startWithKey("--workers", "3")
    for (let count = 0; count < 60; count++) expect(await call()).toBe(200)
    // Any worker returns the sum of all. If another one takes over a second to answer, the sum has its earlier counts: ask again.
    for (let count = 0; count < 6; count++)
      await eventually(async () => {
        const series = await scrape()
        expect(series.get("penknife_workers")).toBe(3)
        expect(sumOf(series, "penknife_requests_total", 'surface="rest"')).toBe(60)
        expect(sumOf(series, "penknife_credits_charged_total")).toBe(60)
        expect(
          series.get('penknife_request_duration_seconds_count{api="bluetoothlookup",surface="rest"}'),
        ).toBe(60)
      })

    const children = await Bun.file(`/proc/${server.child.pid}/task/${server.child.pid}/children`).text()
    const [first] = children.trim().split(" ").map(Number)
    process.kill(first ?? 0, "SIGKILL")
    await server.wrote("a worker ended")
    const after = await scrape()
    expect(sumOf(after, "penknife_requests_total", 'surface="rest"')).toBe(60)
    expect(sumOf(after, "penknife_credits_charged_total")).toBe(60)
    expect(await server.stop()).toBe(0)
    const lines = (await server.stderr)
      .trimEnd()
      .split("\n")
      .filter((line) => !line.startsWith("penknife: "))
    // The last lines of a killed worker may be missing, but no line is incomplete.
    for (const line of lines) expect(["request", ...besideRequests]).toContain(JSON.parse(line).message)
  },
)
