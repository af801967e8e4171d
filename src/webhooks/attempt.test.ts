import { afterEach, describe, expect, setSystemTime, test } from "bun:test"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { createWebhookSecret } from "../accounts/webhook.ts"
import type { Random } from "../apis/contract.ts"
import { backoffMs, giveUpAfterMs, maxDelayMs, nextDelayMs } from "../outbox/delivery-loop.ts"
import { systemRandom } from "../ports/random.ts"
import type { Tracer } from "../ports/tracer.ts"
import type { NoticeRecord } from "../store/outbox.ts"
import { beginDelivery, signedHeaders, toMessage } from "./deliver.ts"

/** The attributes that the span of an attempt begins with. */
function attributesOf(url: string, attempts: number) {
  const described: unknown[] = []
  const tracer: Pick<Tracer, "begin"> = {
    begin(_parent, _kind, describe) {
      described.push(describe().attributes)
      return null
    },
  }
  const event = { traceparent: null, type: "key.created" }
  const notice = { ...event, id: "msg_1", accountId: "acc_1", webhook: { url }, attempts }
  beginDelivery(notice as Parameters<typeof beginDelivery>[0], tracer as Tracer)
  return described[0]
}

// https://opentelemetry.io/docs/specs/semconv/http/http-spans/
test.each([
  ["https://hooks.example/a?b=c", "hooks.example", 443],
  ["http://192.0.2.1/", "192.0.2.1", 80],
  ["http://[2001:db8::1]:8080/", "2001:db8::1", 8080],
])("host and port of %s are named as the conventions say", (url, address, port) =>
  expect(attributesOf(url, 0)).toMatchObject({ "server.address": address, "server.port": port }),
)

test("only an attempt after the first has a count of repetitions", () => {
  expect(attributesOf("https://a.example/", 0)).not.toHaveProperty(["http.request.resend_count"])
  expect(attributesOf("https://a.example/", 2)).toHaveProperty(["http.request.resend_count"], 2)
})

const nowMs = Date.parse("2025-02-20T12:00:00.750Z")
const notice: NoticeRecord = {
  id: "msg_0123456789abcdef0123456789abcdef",
  accountId: "acc_1",
  type: "credits.threshold_reached",
  data: null,
  accountCreatedMs: Date.parse("2024-12-31T10:00:00Z"),
  plan: "free",
  threshold: 80,
  used: 800,
  allowance: 1_000,
  periodStartMs: Date.parse("2025-01-31T10:00:00Z"),
  raisedMs: nowMs,
  state: "pending",
  attempts: 3,
  waitedMs: 9,
  nextAttemptMs: nowMs,
  lastStatus: null,
  lastError: "connect ECONNREFUSED 127.0.0.1:1",
  deliveredMs: null,
}

test("the message has the data of the notice, and nothing about its delivery", () =>
  expect(toMessage(notice)).toStrictEqual({
    type: "credits.threshold_reached",
    timestamp: "2025-02-20T12:00:00.750Z",
    data: {
      account: "acc_1",
      plan: "free",
      threshold: 80,
      used: 800,
      allowance: 1_000,
      period_start: "2025-01-31T10:00:00.000Z",
      // A month from the 31st of December ends on the last day of February.
      period_end: "2025-02-28T10:00:00.000Z",
    },
  }))

test("the message of another event has the data it was raised with", () => {
  const data = '{"account":"acc_1","key":"key_1"}'
  expect(toMessage({ ...notice, type: "key.created", data, threshold: null, allowance: null })).toStrictEqual(
    { type: "key.created", timestamp: "2025-02-20T12:00:00.750Z", data: { account: "acc_1", key: "key_1" } },
  )
})

describe("the signature", () => {
  const body = JSON.stringify(toMessage(notice))
  const secret = createWebhookSecret(systemRandom)
  const headers = signedHeaders(notice.id, body, secret, nowMs)
  const verify = (text: string, changed: Record<string, string> = {}, key = secret) =>
    new Webhook(key).verify(text, { ...headers, ...changed })
  afterEach(() => setSystemTime())

  test("is verified by the library", () => {
    setSystemTime(nowMs)
    expect(headers["webhook-timestamp"]).toBe("1740052800")
    expect(verify(body)).toEqual(JSON.parse(body))
  })

  test("is valid for this body, id, time and secret only", () => {
    setSystemTime(nowMs)
    expect(() => verify(body.replace("800", "801"))).toThrow("No matching signature")
    expect(() => verify(body, { "webhook-id": "msg_2" })).toThrow("No matching signature")
    expect(() => verify(body, { "webhook-timestamp": "1740052801" })).toThrow("No matching signature")
    expect(() => verify(body, {}, createWebhookSecret(systemRandom))).toThrow("No matching signature")
  })

  test("is too old for a replay ten minutes later", () => {
    setSystemTime(nowMs + 600_000)
    expect(() => verify(body)).toThrow("too old")
  })
})

const always = (byte: number): Random => ({ bytes: (length) => new Uint8Array(length).fill(byte) })
const startMs = Date.parse("2025-01-01T00:00:00Z")

test.each([
  [1, 2_500, 5_000],
  [2, 5_000, 10_000],
  [3, 10_000, 20_000],
  [10, 1_280_000, 2_560_000],
  [11, 1_800_000, 3_600_000],
  [50, 1_800_000, 3_600_000],
  [5_000, 1_800_000, 3_600_000],
])("the wait after a failure: number %d is from %d to %d ms", (failures, least, most) => {
  expect(backoffMs(failures, always(0))).toBe(least)
  expect(backoffMs(failures, always(255))).toBe(most)
  const drawn = Array.from({ length: 100 }, () => backoffMs(failures, systemRandom))
  for (const delay of drawn) expect(delay >= least && delay <= most).toBe(true)
  expect(new Set(drawn).size).toBeGreaterThan(50)
})

const next = (waitedMs: number, retryAfter: string | null = null) =>
  nextDelayMs({ failures: 1, waitedMs, retryAfter }, startMs, always(0))

test("the next attempt: the last one is at the end of the day, then the notice is given up", () => {
  expect([next(0), next(giveUpAfterMs - 1_000), next(giveUpAfterMs)]).toEqual([2_500, 1_000, null])
  expect(next(giveUpAfterMs + 1)).toBeNull()
})

test.each([
  ["17", 17_000],
  ["1", 2_500],
  ["0", 2_500],
  ["-5", 2_500],
  ["86400", maxDelayMs],
  ["99999999999999999999", maxDelayMs],
  ["Wed, 01 Jan 2025 00:01:00 GMT", 60_000],
  ["Wed, 01 Jan 2020 00:00:00 GMT", 2_500],
  ["soon", 2_500],
  ["", 2_500],
])("the next attempt: Retry-After %p makes it %d ms", (text, delay) => expect(next(0, text)).toBe(delay))

test("the next attempt: a Retry-After does not lengthen the day", () =>
  expect(next(giveUpAfterMs - 10_000, "3600")).toBe(10_000))

test("the next attempt with any random numbers, a day has 25 to 75 attempts", () => {
  const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(bytes, (drawn) => {
      let draws = 0
      const draw = () => drawn[draws++ % drawn.length] ?? 0
      const random: Random = { bytes: (length) => new Uint8Array(length).fill(draw()) }
      let waitedMs = 0
      let failures = 1
      for (;;) {
        const delay = nextDelayMs({ failures, waitedMs, retryAfter: null }, startMs, random)
        if (delay === null) break
        expect(delay).toBeGreaterThan(0)
        expect(delay).toBeLessThanOrEqual(maxDelayMs)
        waitedMs += delay
        failures++
      }
      expect(waitedMs).toBe(giveUpAfterMs)
      expect(failures).toBeGreaterThanOrEqual(25)
      expect(failures).toBeLessThanOrEqual(75)
    }),
    { numRuns: 200 },
  )
})
