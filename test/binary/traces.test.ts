/** Traces of the executable: what waits is sent when it stops, and each worker sends its own. */
import { expect, test } from "bun:test"
import { startOtlpReceiver } from "../support/otlp-receiver.ts"
import { tempDir } from "../support/temp.ts"
import { lookUp, seedOne } from "./accounts.ts"
import { start } from "./support.ts"

const dir = tempDir()

/** Nothing is sent before the stop, unless a message is full. */
function tracedTo(url: string): Record<string, string> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: "600000" }
}

test.each([["http/protobuf"], ["http/json"]])(
  "SIGTERM sends the spans that wait, as %s, and nothing of a key",
  async (protocol) => {
    const { db, key, call } = await seedOne(dir)
    const collector = startOtlpReceiver()
    const env = {
      ...tracedTo(collector.url),
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    }
    const server = await start(["serve", "--port", "0", "--db", db], env)
    for (let count = 0; count < 3; count++) expect((await call(server.url, lookUp)).status).toBe(200)
    expect(collector.messages).toEqual([])
    expect(await server.stop()).toBe(0)
    const spans = collector.spans()
    expect(spans.map(({ name }) => name).sort()).toEqual(
      ["GET /v1/bluetoothlookup", "admit", "run", "settle"].flatMap((name) => [name, name, name]),
    )
    const log = await server.stderr
    for (const { traceId } of spans) expect(log).toContain(`"traceId":"${traceId}"`)
    expect(collector.text()).not.toContain(key)
    expect(collector.messages[0]?.headers["content-encoding"]).toBe("gzip")
  },
)

test.if(process.platform === "linux")("with --workers each process sends its own, whole", async () => {
  const { db, call } = await seedOne(dir)
  const collector = startOtlpReceiver()
  const server = await start(["serve", "--port", "0", "--db", db, "--workers", "2"], tracedTo(collector.url))
  for (let count = 0; count < 40; count++) {
    // A new connection each time, so that every worker gets some.
    expect((await call(server.url, lookUp, { headers: { connection: "close" } })).status).toBe(200)
  }
  expect(await server.stop()).toBe(0)
  expect(collector.spans()).toHaveLength(160)
  expect(new Set(collector.messages.map(({ resource }) => resource["service.instance.id"])).size).toBe(2)
})

test.each([[200], [503]])(
  "no header or password for the collector is in the log, whatever it answers: %d",
  async (status) => {
    const { db, call } = await seedOne(dir)
    const sent: (string | null)[] = []
    const collector = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch({ url, headers }) {
        sent.push(new URL(url).pathname, headers.get("authorization"), headers.get("x-token"))
        return new Response("hidden-answer", { status, headers: { "retry-after": "3600" } })
      },
    })
    const server = await start(["serve", "--port", "0", "--db", db], {
      ...tracedTo(`http://user:hidden-password@127.0.0.1:${collector.port}/otlp/`),
      OTEL_EXPORTER_OTLP_HEADERS: "x-token=hidden-token",
    })
    await call(server.url, lookUp)
    expect(await server.stop()).toBe(0)
    await collector.stop(true)
    expect(sent).toEqual(["/otlp/v1/traces", `Basic ${btoa("user:hidden-password")}`, "hidden-token"])
    const log = await server.stderr
    expect(log).not.toMatch(/hidden|user/)
    if (status !== 200) expect(log).toContain("traces not exported")
  },
)
