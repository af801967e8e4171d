/** A collector of traces that does not answer costs nothing but its traces. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Timer } from "../src/apis/contract.ts"
import { readTraceSettings } from "../src/config/traces.ts"
import { systemClock } from "../src/ports/clock.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { createSelfSigned } from "../src/ports/tls/self-signed.ts"
import type { Tracer } from "../src/ports/tracer.ts"
import { createOtelTracer } from "../src/ports/tracing/otel-tracer.ts"
import { readLines } from "./support/log.ts"
import { readMetrics } from "./support/metrics.ts"
import { startOtlpReceiver } from "./support/otlp-receiver.ts"
import { startTestService, type TestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"
import { createManualTimer } from "./support/timer.ts"
import { until } from "./support/until.ts"

const metric = "penknife_trace_spans_dropped_total"
const queueFull = `${metric}{reason="queue_full"}`

const metricsOf = async (service: TestService) => readMetrics(await (await service.fetch("/metrics")).text())

/** A tracer that keeps the messages of its log. */
function startTracer(url: string, env: Record<string, string> = {}, timer: Timer = systemTimer) {
  const settings = readTraceSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_BSP_SCHEDULE_DELAY: "1",
    ...env,
  })
  if (settings === null) throw new Error("there are settings")
  const messages: string[] = []
  const write = (message: string) => void messages.push(message)
  const tracer = createOtelTracer(settings, { timer, log: { info: write, warn: write }, version: "1" })
  return { tracer, messages }
}

function endOneSpan({ begin }: Tracer): void {
  begin(null, "server", () => ({ name: "GET", attributes: {} }))?.span?.end()
}

/** Messages of the log about traces. */
const traceLines = (log: string): string[] =>
  readLines(log).flatMap(({ message }) => (String(message).includes("traces") ? [String(message)] : []))

test("a collector that refuses is reported once and its end too, and what it did not take is counted", async () => {
  const collector = startOtlpReceiver()
  const { tracer, messages } = startTracer(collector.url)
  // The library repeats none of these.
  for (const [status, spans] of [
    [401, 1],
    [400, 2],
    [404, 3],
  ] as const) {
    collector.answer(status)
    endOneSpan(tracer)
    await until(() => tracer.dropped().export_failed === spans)
  }
  expect(messages).toEqual(["traces not exported"])
  collector.answer(200)
  endOneSpan(tracer)
  expect(await collector.until((spans) => spans.length > 0)).toHaveLength(1)
  await until(() => messages.length > 1)
  expect(messages).toEqual(["traces not exported", "traces are exported again"])
  await tracer.stop(10_000)
  expect(tracer.dropped()).toEqual({ queue_full: 0, export_failed: 3 })
})

test("spans beyond the queue are dropped and counted, what is being sent included", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<Response>()
  const silent = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => released })
  const service = await startTestService({
    env: {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${silent.port}/`,
      OTEL_BSP_MAX_QUEUE_SIZE: "8",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "2",
      OTEL_BSP_SCHEDULE_DELAY: "1",
    },
  })
  const { key } = await service.createKey("pro")
  const inputs = Array.from({ length: 100 }, () => ({ companyid: "76" }))
  expect((await service.post("/v1/bluetoothlookup/batch", { inputs }, { key })).status).toBe(200)
  // 100 runs, admit, settle and the request.
  expect((await metricsOf(service)).get(queueFull)).toBe(103 - 8)
  release(new Response())
  await service.stop()
  await silent.stop(true)
  expect(traceLines(service.logged())).toEqual([])
})

test("a collector with a certificate of its own is trusted when OTEL_EXPORTER_OTLP_CERTIFICATE names it", async () => {
  const { cert, key, ca } = await createSelfSigned(["localhost"], systemClock.now())
  const collector = startOtlpReceiver({ cert, key })
  const file = join(tempDir(), "ca.pem")
  writeFileSync(file, ca)
  const trusting = startTracer(collector.url, { OTEL_EXPORTER_OTLP_CERTIFICATE: file })
  endOneSpan(trusting.tracer)
  await trusting.tracer.stop(10_000)
  expect(trusting.messages).toEqual([])
  expect(collector.spans()).toHaveLength(1)

  const doubting = startTracer(collector.url)
  endOneSpan(doubting.tracer)
  await until(() => doubting.messages.length > 0)
  await doubting.tracer.stop(10_000)
  expect(doubting.messages).toEqual(["traces not exported"])
  expect(collector.spans()).toHaveLength(1)
})

test("a stop sends all that waits, however many messages that takes", async () => {
  const collector = startOtlpReceiver()
  const { tracer, messages } = startTracer(collector.url, {
    OTEL_BSP_MAX_QUEUE_SIZE: "64",
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "1",
    OTEL_BSP_SCHEDULE_DELAY: "600000",
  })
  for (let count = 0; count < 64; count++) endOneSpan(tracer)
  await tracer.stop(10_000)
  expect(messages).toEqual([])
  expect(collector.spans()).toHaveLength(64)
  expect(tracer.dropped()).toEqual({ queue_full: 0, export_failed: 0 })
})

test("the log names the status that a collector refuses with", async () => {
  const collector = startOtlpReceiver()
  const causes: unknown[] = []
  const settings = readTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  if (settings === null) throw new Error("there are settings")
  const log = { info() {}, warn: (_: string, fields: { cause?: unknown }) => void causes.push(fields.cause) }
  const tracer = createOtelTracer(settings, { timer: systemTimer, log, version: "1" })
  collector.answer(403)
  endOneSpan(tracer)
  await tracer.stop(10_000)
  expect(causes).toEqual(["403 Forbidden"])
})

test("a service without traces has no metric of them and passes no trace on", async () => {
  const service = await startTestService()
  const { key } = await service.createKey("pro")
  const headers = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` }
  await service.fetch("/v1/bluetoothlookup?companyid=76", { key, headers })
  expect([...(await metricsOf(service)).keys()].filter((name) => name.startsWith(metric))).toEqual([])
  expect(service.logged()).not.toContain("traceId")
})

test("a stop waits for the collector until its limit, and says what was lost", async () => {
  const { promise: never } = Promise.withResolvers<Response>()
  const silent = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => never })
  const timer = createManualTimer()
  const { tracer, messages } = startTracer(`http://127.0.0.1:${silent.port}`, {}, timer)
  endOneSpan(tracer)
  const stopped = tracer.stop(2_000)
  expect(timer.waiting).toEqual([2_000])
  timer.fire()
  await stopped
  expect(messages).toEqual(["traces of the last seconds not exported"])
  expect(tracer.dropped()).toEqual({ queue_full: 0, export_failed: 1 })
  await silent.stop(true)
})
