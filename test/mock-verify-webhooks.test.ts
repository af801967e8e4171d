/** `POST /_mock/verify` for webhooks: those that were delivered count, in the order of their delivery. */
import { beforeEach, expect, test } from "bun:test"
import { exhaust, listOf, startTestMock } from "./support/mock.ts"
import { startReceiver, statusOnly } from "./support/receiver.ts"

const receiver = startReceiver()
const sending = await startTestMock({ webhook: receiver.url, webhookTime: "mock" })
const exhausted = "credits.exhausted"
const threshold = "credits.threshold_reached"
const noticesOf = () => listOf(sending, "notices")
const checkWebhooks = (expectation: object) => sending.control("POST", "/verify", expectation)
beforeEach(async () => {
  receiver.answer(() => statusOnly(204))
  await sending.reset()
})

test.each([
  [{ webhook: exhausted }, 200],
  [{ webhook: exhausted, count: 1 }, 200],
  [{ webhook: exhausted, count: 2 }, 417],
  [{ webhook: exhausted, count: 0 }, 417],
  [{ webhook: threshold, count: 2 }, 200],
  [{ webhook: threshold, at_least: 3 }, 417],
  [{ webhook: threshold, at_least: 1, at_most: 2 }, 200],
  [{ webhook: threshold, at_most: 1 }, 417],
  [{ webhook: "month.renewed" }, 417],
  [{ webhook: "month.renewed", count: 0 }, 200],
  [{ webhook: "test", count: 0 }, 200],
  [{ order: [{ webhook: exhausted }, { webhook: threshold }] }, 200],
  [{ order: [{ webhook: threshold }, { webhook: exhausted }] }, 417],
  [{ webhook: threshold, order: [{}, {}] }, 200],
  [{ webhook: threshold, order: [{}, {}, {}] }, 417],
  // Webhooks do not count as requests: there is one.
  [{ count: 1 }, 200],
])("are counted by type: %j is a %d", async (expectation, code) => {
  await exhaust(sending)
  expect((await checkWebhooks(expectation)).code).toBe(code)
})

test("that no receiver took do not count, and the message names them first, with the reason", async () => {
  receiver.answer(({ body }) => statusOnly(JSON.parse(body).type === exhausted ? 500 : 204))
  await exhaust(sending)
  const { code, status, error, data } = await checkWebhooks({ webhook: exhausted, count: 1 })
  expect({ code, status, data }).toEqual({ code: 417, status: "error", data: null })
  const [pending] = await noticesOf()
  expect(error).toStartWith(
    `Expected exactly 1: webhook ${exhausted}, state delivered\n0 came.\nThe nearest of 3 others (- expected, + came):\n` +
      `#3 ${exhausted} ${pending?.id}\n    webhook ${exhausted}\n  - state delivered\n  + state pending: answered 500`,
  )
  expect(error).toContain(`\n  - webhook ${exhausted}\n  + webhook ${threshold}\n    state delivered`)
})

test("stand in the order in which they were delivered, which a failed attempt changes", async () => {
  const order = [{ webhook: threshold }, { webhook: exhausted }]
  receiver.answer(({ body }) => statusOnly(JSON.parse(body).type === exhausted ? 500 : 204))
  await exhaust(sending)
  expect((await checkWebhooks({ order })).code).toBe(417)
  receiver.answer(() => statusOnly(204))
  await sending.control("PUT", "/clock", { advance: "10s" })
  expect((await checkWebhooks({ order })).code).toBe(200)
  const { error } = await checkWebhooks({ order: order.toReversed() })
  expect(error).toMatch(
    /Number 2 did not come after #3\. It came before:\n#1 credits\.threshold_reached msg_/,
  )
  const notices = await noticesOf()
  expect(notices.map(({ arrival }) => arrival)).toEqual([3, 1, 2])
  // Sent again, each is the same webhook.
  const again = notices.at(-1)?.id
  expect((await sending.control("PUT", `/notices/${again}/resend`)).code).toBe(200)
  expect((await checkWebhooks({ webhook: threshold, count: 2 })).code).toBe(200)
  expect((await noticesOf()).map(({ arrival }) => arrival)).toEqual([3, 1, 2])
})

test("of a mock without a webhook are none, and the message says why", async () => {
  const mock = await startTestMock()
  const check = (expectation: object) => mock.control("POST", "/verify", expectation)
  await exhaust(mock)
  expect((await check({ webhook: exhausted, count: 0 })).code).toBe(200)
  expect((await check({ webhook: exhausted })).error).toContain("+ state unsent: its account has no webhook")
  await mock.reset()
  expect((await check({ webhook: exhausted })).error).toEndWith("0 came.\nNo other webhook came.")
})
