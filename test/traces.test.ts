/** Traces of requests as a collector gets them: the spans and their parents on every surface, and what they must never hold. */
import { expect, test } from "bun:test"
import { createZoneDns } from "../src/ports/dns/zone.ts"
import { requestsIn } from "./support/log.ts"
import { connectMcp } from "./support/mcp.ts"
import { type ReceivedSpan, startOtlpReceiver } from "./support/otlp-receiver.ts"
import { apiSource, folderOf } from "./support/own-apis.ts"
import { startReceiver } from "./support/receiver.ts"
import { startTestService, type TestOptions } from "./support/service.ts"

const callerId = "00f067aa0ba902b7"
const json = { "content-type": "application/json" }

/** A header `traceparent` of a trace of its own. */
function newTrace(isSampled = true) {
  const traceId = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex")
  const traceparent = `00-${traceId}-${callerId}-${isSampled ? "01" : "00"}`
  return { traceId, headers: { ...json, traceparent } }
}

/** A service that sends its traces to a collector of its own. */
async function startTraced({ env, ...options }: TestOptions = {}) {
  const collector = startOtlpReceiver()
  const service = await startTestService({
    ...options,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "1", ...env },
  })
  /** The spans of a trace, once its request's span is there: the others end before. */
  const spansOf = async (traceId: string) => {
    const own = (spans: readonly ReceivedSpan[]) => spans.filter((span) => span.traceId === traceId)
    return own(await collector.until((spans) => own(spans).some(({ kind }) => kind === 2)))
  }
  return { service, collector, spansOf }
}

/** The spans as a tree: each name with its parts, in the order in which they began. */
const treeOf = (spans: readonly ReceivedSpan[], parentId: string): unknown[] =>
  spans
    .filter((span) => span.parentId === parentId)
    .sort((a, b) => Number(a.startNs - b.startNs))
    .map((span) => {
      const parts = treeOf(spans, span.spanId)
      return parts.length > 0 ? [span.name, parts] : span.name
    })

test.each(["http/protobuf", "http/json"])(
  "over %s a call has spans for itself, admit, run and settle, with its data in its own",
  async (protocol) => {
    const { service, collector, spansOf } = await startTraced({
      env: {
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      },
    })
    const { account, id, key } = await service.createKey("pro")
    const { traceId, headers } = newTrace()
    expect((await service.fetch("/v1/bluetoothlookup?companyid=76", { key, headers })).status).toBe(200)
    const spans = await spansOf(traceId)
    expect(treeOf(spans, callerId)).toEqual([["GET /v1/bluetoothlookup", ["admit", "run", "settle"]]])
    const [request] = spans.filter(({ kind }) => kind === 2)
    expect(request).toMatchObject({
      status: 0,
      attributes: {
        "http.request.method": "GET",
        "http.route": "/v1/bluetoothlookup",
        "url.path": "/v1/bluetoothlookup",
        "url.scheme": "http",
        "http.response.status_code": 200,
        "penknife.api": "bluetoothlookup",
        "penknife.surface": "rest",
        "penknife.credits": 1,
        "penknife.account": account,
        "penknife.key": id,
      },
    })
    for (const { startNs, endNs } of spans) expect(endNs).toBeGreaterThanOrEqual(startNs)
    expect(collector.messages[0]).toMatchObject({
      path: "/v1/traces",
      resource: {
        "service.name": "penknife",
        "service.version": expect.stringMatching(/^\d/),
        "service.instance.id": expect.stringMatching(/^[0-9a-f-]{36}$/),
        "deployment.environment.name": "test",
      },
    })
    expect(requestsIn(service.logged())).toMatchObject([{ traceId }])
  },
)

test("a refused call says why in its spans, and a fault of the service is an error", async () => {
  const { service, spansOf } = await startTraced({ ports: { dns: failingDns() } })
  const { key } = await service.createKey("pro")
  const stranger = newTrace()
  await service.fetch("/v1/bluetoothlookup?companyid=76", { headers: stranger.headers })
  expect(codesOf(await spansOf(stranger.traceId))).toEqual([
    ["admit", "keyMissing", 0],
    ["GET /v1/bluetoothlookup", "keyMissing", 0],
  ])
  const unavailable = newTrace()
  const path = "/v1/spfvalidator?domain=example.com"
  expect((await service.fetch(path, { key, headers: unavailable.headers })).status).toBe(503)
  const spans = await spansOf(unavailable.traceId)
  expect(codesOf(spans).slice(-2)).toEqual([
    ["run", "upstreamUnavailable", 2],
    ["GET /v1/spfvalidator", "upstreamUnavailable", 2],
  ])
  expect(spans.find(({ name }) => name === "dns question")).toMatchObject({
    status: 2,
    attributes: { "error.type": "timeout", "penknife.dns.answer": "failure" },
  })
})

test("a batch has a span for each input that runs", async () => {
  const { service, spansOf } = await startTraced()
  const { key } = await service.createKey("pro")
  const { traceId, headers } = newTrace()
  const inputs = [{ companyid: "1" }, { companyid: "x" }, { companyid: "2" }]
  await service.post("/v1/bluetoothlookup/batch", { inputs }, { key, headers })
  const spans = await spansOf(traceId)
  const parts = ["admit", "run", "run", "settle"]
  expect(treeOf(spans, callerId)).toEqual([["POST /v1/bluetoothlookup/batch", parts]])
  expect(spans.flatMap(({ attributes }) => attributes["penknife.index"] ?? [])).toEqual([0, 2])
})

test("a GraphQL query has a span for each field that runs an API", async () => {
  const { service, spansOf } = await startTraced()
  const { key } = await service.createKey("pro")
  const { traceId, headers } = newTrace()
  const query = `{ hmac(input: { message: "a", secret: "b" }) { hmac } mine: bluetoothlookup(input: { companyid: "76" }) { found } }`
  const response = await service.post("/v1/graphql", { query }, { key, headers })
  expect(((await response.json()) as { errors?: unknown }).errors).toBeUndefined()
  const spans = await spansOf(traceId)
  expect(treeOf(spans, callerId)).toEqual([["POST /v1/graphql", ["admit", "run", "run", "settle"]]])
  const apis = spans.filter(({ name }) => name === "run").map(({ attributes }) => attributes["penknife.api"])
  expect(apis.sort()).toEqual(["bluetoothlookup", "hmac"])
  const [request] = spans.filter(({ kind }) => kind === 2)
  expect(request?.attributes).toMatchObject({ "penknife.api": "hmac,bluetoothlookup", "penknife.credits": 2 })
})

test("a tool call over MCP has the spans of a call, with the surface mcp", async () => {
  const { service, collector } = await startTraced()
  const { key } = await service.createKey("pro")
  const { traceId, headers } = newTrace()
  await using agent = await connectMcp(service.url, key, "/mcp", headers)
  expect((await agent.call("hmac", { message: "a", secret: "b" })).isError).toBe(false)
  const isCall = ({ attributes }: ReceivedSpan) => attributes["penknife.api"] === "hmac"
  const spans = await collector.until((all) => all.some((span) => span.kind === 2 && isCall(span)))
  const [request] = spans.filter((span) => span.kind === 2 && isCall(span))
  expect(request).toMatchObject({
    traceId,
    name: "POST /mcp",
    parentId: callerId,
    attributes: { "penknife.surface": "mcp", "penknife.credits": 1 },
  })
  expect(treeOf(spans, request?.spanId ?? "")).toEqual(["admit", "run", "settle"])
})

test("DNS questions are parts of the run, in an operator's own API too, without the names asked", async () => {
  const zone = { "secret-name.example": [{ TXT: "v=spf1 a -all" }, { A: "192.0.2.1" }] }
  const run = `if (text === "secret-name") await ports.dns.resolve(text + ".example", "TXT")
    else await ports.dns.exchange("secret-name.example", "TYPE257", { dnssec: true })
    return { shouted: text.toUpperCase() }`
  const apis = folderOf({ "asker/index.ts": apiSource("asker", { run }) })
  const { service, collector, spansOf } = await startTraced({
    ports: { dns: { ...createZoneDns(zone), serverOf: () => ({ host: "192.0.2.53", port: 5353 }) } },
    flags: { apis },
  })
  const { key } = await service.createKey("pro")
  const built = newTrace()
  const path = "/v1/spfvalidator?domain=secret-name.example&ip=192.0.2.1"
  await service.fetch(path, { key, headers: built.headers })
  const own = newTrace()
  await service.post("/v1/asker", { text: "secret-name" }, { key, headers: own.headers })
  const ownSpans = await spansOf(own.traceId)
  const parts = ["admit", ["run", ["dns question"]], "settle"]
  expect(treeOf(ownSpans, callerId)).toEqual([["POST /v1/asker", parts]])
  expect(ownSpans.find(({ name }) => name === "dns question")).toMatchObject({
    kind: 3,
    attributes: {
      "penknife.dns.type": "TXT",
      "penknife.dns.answer": "records",
      "server.address": "192.0.2.53",
      "server.port": 5353,
    },
  })
  const exchanged = newTrace()
  await service.post("/v1/asker", { text: "x" }, { key, headers: exchanged.headers })
  expect((await spansOf(exchanged.traceId)).find(({ name }) => name === "dns question")).toMatchObject({
    attributes: { "penknife.dns.type": "TYPE257", "penknife.dns.answer": "nodata", "server.port": 5353 },
  })
  const tree = JSON.stringify(treeOf(await spansOf(built.traceId), callerId))
  expect(tree).toStartWith('[["GET /v1/spfvalidator",["admit",["run",["dns question"')
  expect(collector.text()).not.toContain("secret-name")
})

const file = { plans: { small: { monthly_credits: 10 } } }

test("the delivery of a webhook is a part of the call that raised the notice, and its receiver gets the trace", async () => {
  const { service, collector, spansOf } = await startTraced({ file })
  const hook = startReceiver()
  const { account, key } = await service.createKey("small")
  await service.notices.setWebhook(account, `${hook.url}/hidden-path?token=hidden`, { allowPrivate: false })
  const { traceId, headers } = newTrace()
  const inputs = Array.from({ length: 8 }, () => ({ companyid: "76" }))
  await service.post("/v1/bluetoothlookup/batch", { inputs }, { key, headers })
  await collector.until((spans) => spans.some(({ name }) => name === "POST webhook"))
  const spans = await spansOf(traceId)
  const [delivery] = spans.filter(({ name }) => name === "POST webhook")
  expect(delivery).toMatchObject({
    kind: 3,
    parentId: spans.find(({ kind }) => kind === 2)?.spanId,
    attributes: {
      "server.address": "127.0.0.1",
      "server.port": Number(new URL(hook.url).port),
      "http.response.status_code": 204,
      "penknife.event": "credits.threshold_reached",
      "penknife.account": account,
    },
  })
  expect(hook.received.map((received) => received.headers.traceparent)).toEqual([
    `00-${traceId}-${delivery?.spanId}-01`,
  ])
  expect(collector.text()).not.toContain("hidden")
})

test("the delivery of a webhook of an event without a call is a trace of its own", async () => {
  const { service, collector } = await startTraced({ file })
  const hook = startReceiver()
  const { id: account } = await service.accounts.create("Ann", "small", ["key.created"])
  await service.notices.setWebhook(account, hook.url, { allowPrivate: false })
  await service.accounts.createKey({ accountId: account })
  const spans = await collector.until((all) => all.some(({ name }) => name === "POST webhook"))
  expect(spans).toMatchObject([{ name: "POST webhook", parentId: "" }])
  expect(hook.received[0]?.headers.traceparent).toBe(`00-${spans[0]?.traceId}-${spans[0]?.spanId}-01`)
})

test("the delivery of a webhook of a call that is not sampled passes the trace on and is not recorded", async () => {
  const { service, collector } = await startTraced({ file })
  const hook = startReceiver()
  const { account, key } = await service.createKey("small")
  await service.notices.setWebhook(account, hook.url, { allowPrivate: false })
  const { traceId, headers } = newTrace(false)
  const inputs = Array.from({ length: 8 }, () => ({ companyid: "76" }))
  await service.post("/v1/bluetoothlookup/batch", { inputs }, { key, headers })
  await hook.count(1)
  expect(hook.received[0]?.headers.traceparent).toBe(`00-${traceId}-${callerId}-00`)
  expect(requestsIn(service.logged())).toMatchObject([{ traceId }])
  await service.stop()
  expect(collector.messages).toEqual([])
})

const call = async (env: Record<string, string>, headers: Record<string, string> = {}) => {
  const { service, collector } = await startTraced({ env })
  const { key } = await service.createKey("pro")
  await service.fetch("/v1/bluetoothlookup?companyid=76", { key, headers })
  await service.stop()
  const [line] = requestsIn(service.logged())
  return { names: collector.spans().map(({ name }) => name), traceId: line?.traceId }
}
const recorded = ["admit", "run", "settle", "GET /v1/bluetoothlookup"]
const ratio = (name: string, share: string) => ({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share })

test.each([
  ["all by default", {}, {}, recorded],
  ["none", { OTEL_TRACES_SAMPLER: "always_off" }, {}, []],
  ["a share of 0", ratio("traceidratio", "0"), {}, []],
  ["a share of 1", ratio("traceidratio", "1"), {}, recorded],
  ["the caller's choice first", ratio("parentbased_traceidratio", "0"), newTrace().headers, recorded],
  ["the caller's choice against it", {}, newTrace(false).headers, []],
  ["a share whatever the caller says", ratio("traceidratio", "0"), newTrace().headers, []],
  ["a malformed header counts as none", {}, { traceparent: "00-zz-01" }, recorded],
])("which requests are recorded: %s", async (_case, env, headers, names) => {
  const { names: found, traceId } = await call(env, headers)
  expect(found).toEqual(names)
  // An id that leads nowhere is not logged.
  const isKnown = names.length > 0 || "traceparent" in headers
  expect(traceId).toEqual(isKnown ? expect.stringMatching(/^[0-9a-f]{32}$/) : undefined)
})

test("which requests are recorded: not those for probes, metrics and pages that go well", async () => {
  const { service, collector } = await startTraced()
  for (const path of ["/health", "/ready", "/metrics", "/openapi.json", "/docs"])
    expect((await service.fetch(path)).status).toBe(200)
  await service.fetch("/nowhere")
  await service.stop()
  expect(collector.spans()).toMatchObject([{ name: "GET", attributes: { "penknife.code": "notFound" } }])
})

test("no key, input, query, path or answer is in any byte that is sent", async () => {
  const { service, collector } = await startTraced({ env: { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" } })
  const { key } = await service.createKey("pro")
  const hidden = "hidden-7f3a"
  const send = (path: string, init: Parameters<typeof service.fetch>[1] = {}) =>
    service.fetch(path, { key, ...init })
  const post = (path: string, body: unknown) =>
    send(path, { method: "POST", headers: json, body: JSON.stringify(body) })
  await post("/v1/hmac", { message: hidden, secret: hidden })
  await post("/v1/hmac", { message: [hidden], secret: hidden })
  await post("/v1/hmac/batch", { inputs: [{ message: hidden, secret: hidden }, { [hidden]: 1 }] })
  await post("/v1/graphql", {
    query: `query ${hidden.replace("-", "_")} { ${hidden.replace("-", "_")}: hmac(input: { message: "${hidden}", secret: "b" }) { hex } }`,
  })
  await post("/mcp", { jsonrpc: "2.0", id: hidden, method: hidden })
  await send(`/v1/bluetoothlookup?companyid=${hidden}&${hidden}=1`)
  await send(`/v1/${hidden}/${key}`)
  await send(`/v1/bluetoothlookup?companyid=76&api_key=${key}`, {
    headers: { "x-request-id": hidden, "user-agent": hidden },
  })
  await service.fetch("/v1/bluetoothlookup", { key: "pk-wrong-key-0000000000" })
  await service.stop()
  expect(collector.spans().length).toBeGreaterThan(20)
  for (const secret of [hidden, hidden.replace("-", "_"), key, "pk-wrong", "127.0.0.1"])
    expect(collector.text()).not.toContain(secret)
})

const codesOf = (spans: readonly ReceivedSpan[]) =>
  spans
    .filter(({ attributes }) => "penknife.code" in attributes)
    .map(({ name, attributes, status }) => [name, attributes["penknife.code"], status])

function failingDns() {
  const failed = async () => ({ kind: "failure", reason: "timeout" }) as const
  return { resolve: failed, exchange: failed }
}
