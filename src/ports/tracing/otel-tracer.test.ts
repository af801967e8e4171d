import { expect, test } from "bun:test"
import { systemTimer } from "../timer.ts"
import { createOtelTracer } from "./otel-tracer.ts"

const traceId = "0af7651916cd43dd8448eb211c80319c"
const spanId = "b7ad6b7169203331"
const whole = `00-${traceId}-${spanId}-01`

/** Never sends anything, since no span ends. */
const tracer = createOtelTracer(
  {
    url: "http://127.0.0.1:9/v1/traces",
    protocol: "http/protobuf",
    headers: {},
    compression: "none",
    timeoutMs: 1_000,
    files: { ca: null, cert: null, key: null },
    sampler: { root: "always_off", parentDecides: true, share: 1 },
    resource: {},
    queue: { maxSpans: 1, maxSpansPerMessage: 1, delayMs: 1, timeoutMs: 1_000 },
  },
  { timer: systemTimer, log: { info() {}, warn() {} }, version: "1" },
)

const begin = (traceparent: string) =>
  tracer.begin(traceparent, "server", () => ({ name: "GET", attributes: {} }))

// https://www.w3.org/TR/trace-context/#traceparent-header-field-values
test.each([
  ["nothing", ""],
  ["version ff", whole.replace("00", "ff")],
  ["a trace id of zeros", whole.replace(traceId, "0".repeat(32))],
  ["a span id of zeros", whole.replace(spanId, "0".repeat(16))],
  ["capital letters", whole.toUpperCase()],
  ["a short trace id", whole.replace(traceId, traceId.slice(1))],
  ["no flags", whole.slice(0, -3)],
  ["more than version 00 has", `${whole}-more`],
  ["two headers, as they are joined", `${whole}, ${whole}`],
  ["a line break", `${whole}\n\n`],
  ["ten thousand characters", whole + "0".repeat(10_000)],
])("a traceparent with %s counts as none", (_, header) => expect(begin(header)).toBeNull())

test.each([
  ["recorded", whole, true],
  ["not recorded", `00-${traceId}-${spanId}-00`, false],
  ["recorded, with flags of later versions", `00-${traceId}-${spanId}-ff`, true],
  ["recorded, of a later version with more fields", `cc-${traceId}-${spanId}-01-more`, true],
])("a traceparent that is %s is taken over", (_, header, isRecorded) => {
  const trace = begin(header)
  expect(trace?.traceId).toBe(traceId)
  expect(trace?.traceparent).toMatch(
    isRecorded
      ? new RegExp(`^00-${traceId}-(?!${spanId})[0-9a-f]{16}-01$`)
      : new RegExp(`^00-${traceId}-${spanId}-00$`),
  )
})
