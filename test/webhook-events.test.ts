/** Events that an account chose, from operations and calls to the webhook's receiver. */
import { expect, test } from "bun:test"
import { Webhook } from "standardwebhooks"
import { createTestAdminKey } from "./support/admin.ts"
import { startReceiver } from "./support/receiver.ts"
import { startTestService } from "./support/service.ts"

test("chosen events, a test event and a resent one reach the receiver, signed, and hold no secret", async () => {
  const plans = { small: { monthly_credits: 1, sign_up_bonus: 0 } }
  const service = await startTestService({ file: { plans } })
  const admin = await createTestAdminKey(service.db)
  const receiver = startReceiver()
  const events = ["credits.exhausted", "key.created", "key.revoked"] as const
  const { id: account } = await service.accounts.create("Ann", "small", events)
  const { secret } = await service.notices.setWebhook(account, receiver.url, { allowPrivate: false })
  const post = async (path: string) => {
    const answer = await service.fetch(`/admin/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${admin.key}`, "content-type": "application/json" },
      body: "{}",
    })
    return [answer.status, await answer.json()] as const
  }
  const types = () => receiver.received.map(({ body }) => JSON.parse(body).type)

  const { id, key } = await service.accounts.createKey({ accountId: account, name: "ci" })
  await receiver.count(1)
  expect((await service.fetch("/v1/bluetoothlookup?companyid=76", { key })).status).toBe(200)
  // Both thresholds, and that all credits are used up.
  await receiver.count(4)
  await service.accounts.revokeKey(id)
  await receiver.count(5)
  expect(types().toSorted()).toEqual([
    "credits.exhausted",
    "credits.threshold_reached",
    "credits.threshold_reached",
    "key.created",
    "key.revoked",
  ])

  const [status, tested] = await post(`/accounts/${account}/webhook/test`)
  expect([status, tested]).toMatchObject([201, { type: "test" }])
  await receiver.count(6)
  expect(JSON.parse(receiver.received[5]?.body ?? "")).toMatchObject({ type: "test", data: { account } })
  let resent = await post(`/notices/${Reflect.get(tested as object, "id")}/resend`)
  // 409 until its delivery is recorded.
  while (resent[0] === 409) resent = await post(`/notices/${Reflect.get(tested as object, "id")}/resend`)
  expect(resent[0]).toBe(200)
  await receiver.count(7)
  expect(receiver.received[6]?.headers["webhook-id"]).toBe(receiver.received[5]?.headers["webhook-id"])

  const exhausted = receiver.received.find(({ body }) => body.includes("credits.exhausted"))
  expect(JSON.parse(exhausted?.body ?? "").data).toEqual({
    account,
    plan: "small",
    used: 1,
    allowance: 1,
    period_start: "2025-01-01T00:00:00.000Z",
    period_end: "2025-02-01T00:00:00.000Z",
  })
  for (const { body, headers } of receiver.received) {
    const seconds = Number(headers["webhook-timestamp"])
    const signature = new Webhook(secret).sign(headers["webhook-id"] ?? "", new Date(seconds * 1_000), body)
    expect(headers["webhook-signature"]).toBe(signature)
    expect(body).not.toContain(key)
    expect(body).not.toContain(secret)
  }
  expect(service.logged()).not.toContain(key)
})
