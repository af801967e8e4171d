import { expect, test } from "bun:test"
import { readTraceSettings } from "./traces.ts"

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }
const read = (env: Record<string, string>) => readTraceSettings({ ...endpoint, ...env })

test("without an endpoint there are no traces, whatever else is set", () => {
  expect(readTraceSettings({})).toBeNull()
  expect(readTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toBeNull()
  expect(readTraceSettings({ OTEL_TRACES_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toBeNull()
  expect(read({ OTEL_SDK_DISABLED: "TRUE", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toBeNull()
  expect(read({ OTEL_TRACES_EXPORTER: "none" })).toBeNull()
})

test("the defaults are those of the standard", () =>
  expect(read({})).toEqual({
    url: "http://127.0.0.1:4318/v1/traces",
    protocol: "http/protobuf",
    headers: {},
    compression: "none",
    timeoutMs: 10_000,
    files: { ca: null, cert: null, key: null },
    sampler: { root: "always_on", parentDecides: true, share: 1 },
    resource: { "service.name": "penknife" },
    queue: { maxSpans: 2_048, maxSpansPerMessage: 512, delayMs: 5_000, timeoutMs: 30_000 },
  }))

test("what is set for traces goes before what is set for all signals", () => {
  expect(
    read({
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://all.example/otlp/",
      OTEL_EXPORTER_OTLP_HEADERS: "x-one=1,x-two=2",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-two=a%20b%2Cc",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_TIMEOUT: "1",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "2000",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: "ca.pem",
    }),
  ).toMatchObject({
    url: "https://all.example/otlp/v1/traces",
    headers: { "x-one": "1", "x-two": "a b,c" },
    protocol: "http/json",
    timeoutMs: 2_000,
    compression: "gzip",
    files: { ca: "ca.pem" },
  })
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces.example/as-it-is" }
  expect(readTraceSettings(own)?.url).toBe("http://traces.example/as-it-is")
})

test("the name of the service goes before its attributes", () => {
  const attributes = "service.name=a,deployment.environment.name=test%3D1"
  const all = { "service.name": "a", "deployment.environment.name": "test=1" }
  expect(read({ OTEL_RESOURCE_ATTRIBUTES: attributes })?.resource).toEqual(all)
  const named = read({ OTEL_RESOURCE_ATTRIBUTES: attributes, OTEL_SERVICE_NAME: "b" })
  expect(named?.resource["service.name"]).toBe("b")
})

test("a share of all traces, chosen by the caller first or not", () => {
  const share = { OTEL_TRACES_SAMPLER_ARG: "0.01" }
  const sampler = { root: "traceidratio", parentDecides: false, share: 0.01 } as const
  expect(read({ OTEL_TRACES_SAMPLER: "traceidratio", ...share })?.sampler).toEqual(sampler)
  const decided = read({ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", ...share })
  expect(decided?.sampler.parentDecides).toBe(true)
})

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318", "must be an http:// or https:// URL"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://127.0.0.1", "must be an http:// or https:// URL"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "must be http/protobuf or http/json: gRPC is not supported."],
  ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http", "must be one of http/protobuf, http/json"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "no-value", "must be a list such as name=value"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "name=%zz", "must be a list such as name=value"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=a%0d%0ab", "must have names and values that HTTP allows"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=%E2%82%AC", "must have names and values that HTTP allows"],
  ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "two words=a", "must have names and values that HTTP allows"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "Content-Length=5", "must not have content-length"],
  ["OTEL_SDK_DISABLED", "1", "must be one of true, false"],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", "10s", "must be a whole number from 1 to 600000"],
  ["OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", "must be one of none, gzip"],
  ["OTEL_TRACES_EXPORTER", "zipkin", "must be one of otlp, none"],
  ["OTEL_TRACES_SAMPLER", "jaeger_remote", "must be one of always_on, always_off, traceidratio"],
  ["OTEL_RESOURCE_ATTRIBUTES", "=x", "must be a list such as name=value"],
  ["OTEL_BSP_MAX_QUEUE_SIZE", "0", "must be a whole number from 1 to 1000000"],
  ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4096", "must be a whole number from 1 to 2048"],
  ["OTEL_BSP_SCHEDULE_DELAY", "-1", "must be a whole number from 0 to 600000"],
  ["OTEL_BSP_EXPORT_TIMEOUT", "x", "must be a whole number from 1 to 600000"],
])("a mistake is refused with the name of the variable and what to change: %s=%s", (name, value, problem) =>
  expect(() => read({ [name]: value })).toThrow(`${name} ${problem}`),
)

test.each(["1.1", "-0.1", "x", "NaN"])(
  "a mistake is refused with the name of the variable and what to change: a share of %s",
  (share) => {
    const env = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: share }
    expect(() => read(env)).toThrow("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1")
  },
)

test("a mistake is refused with the name of the variable and what to change: all at once, without a value that may be secret", () => {
  const env = { OTEL_EXPORTER_OTLP_HEADERS: "hidden", OTEL_BSP_SCHEDULE_DELAY: "x" }
  expect(() => read(env)).toThrow(/HEADERS .*\.\nOTEL_BSP_SCHEDULE_DELAY [^\n]*\.$/)
  expect(() => read(env)).not.toThrow(/hidden/)
})
