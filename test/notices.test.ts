/** From a reached threshold to the webhook, over real sockets, on a real file, with a clock moved by hand. */
import { describe, expect, test } from "bun:test"
import { systemTimer } from "../src/ports/timer.ts"
import { createWebhookSender } from "../src/ports/webhook-sender.ts"
import { createAccount, hour, periodStartMs, runUntil, useWorkers, verify } from "./support/notices.ts"
import { type Received, startReceiver, statusOnly } from "./support/receiver.ts"

const { openWorker, setUp } = useWorkers()
const refused = "connect ECONNREFUSED 127.0.0.1:1"

test("what arrives: one signed message and one log line per threshold, without the secret in the log", async () => {
  const { receiver, account, secret, delivery, logged, notices, use } = await setUp()
  use(account, 812)
  use(account, 950)
  expect(await delivery.runDue()).toBe(2)
  expect(await delivery.runDue()).toBe(0)

  const data = { account, plan: "free", threshold: 80, used: 812, allowance: 1_000 }
  const period = { period_start: "2025-01-01T00:00:00.000Z", period_end: "2025-02-01T00:00:00.000Z" }
  const envelope = { type: "credits.threshold_reached", timestamp: "2025-01-01T00:00:00.000Z" }
  const messages = receiver.received.map((request) => verify(request, secret))
  expect(messages).toHaveLength(2)
  expect(messages).toContainEqual({ ...envelope, data: { ...data, ...period } })
  expect(messages).toContainEqual({ ...envelope, data: { ...data, threshold: 95, used: 950, ...period } })
  const list = await notices.list(account)
  const sent = receiver.received.map(({ headers }) => headers["webhook-id"])
  expect(sent.sort()).toEqual(list.map(({ id }) => id).sort())
  expect(list.map(({ state, attempts, lastStatus }) => [state, attempts, lastStatus])).toEqual([
    ["delivered", 1, 204],
    ["delivered", 1, 204],
  ])
  for (const { headers } of receiver.received) expect(headers["content-type"]).toBe("application/json")
  expect(logged).toMatchObject([
    { level: "info", message: "credits.threshold_reached", ...data, ...period, notice: list[0]?.id },
    { level: "info", message: "credits.threshold_reached", account, threshold: 95 },
  ])
  expect(logged).toHaveLength(2)
  expect(JSON.stringify(logged)).not.toContain(secret.slice(6, 16))
  expect(JSON.stringify(logged)).not.toContain("hook")
})

test("what arrives without a webhook: a log line and an unsent notice, which a later webhook does not get", async () => {
  const worker = openWorker()
  const receiver = startReceiver()
  await createAccount(worker, "acc_1")
  worker.use("acc_1", 800)
  expect(worker.logged).toMatchObject([{ account: "acc_1", threshold: 80, state: "unsent" }])
  await worker.notices.setWebhook("acc_1", receiver.url, { allowPrivate: false })
  expect(await worker.delivery.runDue()).toBe(0)
  expect(await worker.notices.list()).toMatchObject([{ state: "unsent", attempts: 0 }])
  expect(receiver.received).toEqual([])
})

describe("receivers in trouble", () => {
  test("one that is down for an hour gets the message after it, with a new signature at each attempt", async () => {
    const set = await setUp()
    const { receiver, account, secret, clock, notices } = set
    const upMs = clock.now() + hour
    receiver.answer(() => statusOnly(clock.now() < upMs ? 503 : 200))
    set.use(account, 800)
    await runUntil(set)
    expect(clock.now()).toBeGreaterThanOrEqual(upMs)
    expect(clock.now()).toBeLessThan(upMs + hour)

    const { received } = receiver
    expect(received.length).toBeGreaterThan(8)
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1)
    expect(new Set(received.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(received.length)
    for (const request of received) expect(verify(request, secret)).toMatchObject({ data: { account } })

    const [notice] = await notices.list()
    expect(notice).toMatchObject({ state: "delivered", attempts: received.length, deliveredMs: clock.now() })
    const statuses = (await notices.attempts(account)).map(({ status }) => status)
    expect(statuses).toEqual([...Array(received.length - 1).fill(503), 200])
  })

  test("one that is never reached is given up after a day, with a line in the log", async () => {
    const worker = openWorker()
    const account = "acc_1"
    await createAccount(worker, account, "http://127.0.0.1:1/")
    worker.use(account, 800)
    const raisedMs = worker.clock.now()
    await runUntil(worker)
    expect(worker.clock.now() - raisedMs).toBe(24 * hour)
    expect(await worker.notices.list()).toMatchObject([
      { state: "failed", lastStatus: null, lastError: refused, nextAttemptMs: null },
    ])
    const line = { level: "error", message: "notice not delivered", account }
    expect(worker.logged.slice(1)).toMatchObject([line])
    worker.clock.advance(24 * hour)
    expect(await worker.delivery.runDue()).toBe(0)
  })

  test.each([301, 302, 308, 400, 401, 404, 429, 500])("a %d is tried again, not followed", async (status) => {
    const set = await setUp()
    const { receiver, account, clock, notices } = set
    receiver.answer(() => statusOnly(status, { location: "/elsewhere" }))
    set.use(account, 800)
    expect(await set.delivery.runDue()).toBe(1)
    expect(await notices.list()).toMatchObject([{ state: "pending", lastStatus: status }])
    receiver.answer(() => statusOnly(200))
    clock.advance(5_000)
    await set.delivery.runDue()
    expect(await notices.list()).toMatchObject([{ state: "delivered", attempts: 2 }])
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook", "/hook"])
  })

  test("Retry-After is respected", async () => {
    const set = await setUp()
    set.receiver.answer(() => statusOnly(429, { "retry-after": "600" }))
    set.use(set.account, 800)
    await set.delivery.runDue()
    expect(await set.notices.list()).toMatchObject([{ waitedMs: 600_000 }])
    set.clock.advance(599_999)
    expect(await set.delivery.runDue()).toBe(0)
    set.clock.advance(1)
    expect(await set.delivery.runDue()).toBe(1)
  })

  test("a 410 disables the webhook until it is set again", async () => {
    const set = await setUp()
    const { receiver, account, clock, notices, delivery } = set
    receiver.answer(() => statusOnly(410))
    set.use(account, 800)
    expect(await delivery.runDue()).toBe(1)
    set.use(account, 950)
    set.use(account, 800, periodStartMs + 31 * 24 * hour)
    clock.advance(48 * hour)
    expect(await delivery.runDue()).toBe(0)
    expect((await notices.list()).map(({ state }) => state)).toEqual(["failed", "unsent", "unsent"])
    expect(receiver.received).toHaveLength(1)
    const line = { message: "notice not delivered", status: 410 }
    expect(set.logged).toContainEqual(expect.objectContaining(line))

    receiver.answer(() => statusOnly(200))
    const { secret } = await notices.setWebhook(account, receiver.url, { allowPrivate: false })
    set.use(account, 950, periodStartMs + 31 * 24 * hour)
    expect(await delivery.runDue()).toBe(1)
    expect(verify(receiver.received[1] as Received, secret)).toMatchObject({ data: { threshold: 95 } })
  })

  test("a host name that resolves to a private address needs allowPrivate", async () => {
    const calls: string[] = []
    const resolve = async (host: string) => {
      calls.push(host)
      return [{ address: "127.0.0.1", family: 4 }]
    }
    const worker = openWorker({ sender: createWebhookSender({ timer: systemTimer, resolve }) })
    await createAccount(worker, "acc_1", "https://hooks.example.test:1/")
    worker.use("acc_1", 800)
    await worker.delivery.runDue()
    expect(await worker.notices.list()).toMatchObject([
      { state: "pending", lastError: "127.0.0.1 is not an address that may be called" },
    ])
    await worker.notices.setWebhook("acc_1", "https://hooks.example.test:1/", { allowPrivate: true })
    worker.clock.advance(5_000)
    await worker.delivery.runDue()
    expect(await worker.notices.list()).toMatchObject([{ lastError: refused }])
    expect(calls).toEqual(["hooks.example.test", "hooks.example.test"])
  })
})

test("setting webhooks: a wrong account or URL is named, and the present webhook stays", async () => {
  const { notices, account, receiver, secret, delivery, use } = await setUp()
  const set = (id: string, url: string) => notices.setWebhook(id, url, { allowPrivate: false })
  await expect(set("acc_9", receiver.url)).rejects.toThrow("There is no account 'acc_9'.")
  await expect(set(account, "http://example.com/")).rejects.toThrow("must start with https://")
  await expect(notices.clearWebhook("acc_9")).rejects.toThrow("There is no account 'acc_9'.")
  use(account, 800)
  await delivery.runDue()
  expect(verify(receiver.received[0] as Received, secret)).toMatchObject({ data: { account } })
})
