import { afterEach, describe, expect, setSystemTime, test } from "bun:test"
import { Webhook } from "standardwebhooks"
import { createWebhookSecret } from "../accounts/webhook.ts"
import { systemRandom } from "../ports/random.ts"
import type { NoticeRecord } from "../store/outbox.ts"
import { signedHeaders, toMessage } from "./message.ts"

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

test("the message has the data of the notice, and nothing about its delivery", () => {
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
  })
})

test("the message of another event has the data it was raised with", () => {
  const data = '{"account":"acc_1","key":"key_1"}'
  expect(toMessage({ ...notice, type: "key.created", data, threshold: null, allowance: null })).toStrictEqual(
    {
      type: "key.created",
      timestamp: "2025-02-20T12:00:00.750Z",
      data: { account: "acc_1", key: "key_1" },
    },
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
