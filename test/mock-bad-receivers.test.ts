/** Receivers of webhooks that do not answer as they should hold up neither the test double nor its clock. */
import { afterAll, expect, test } from "bun:test"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { createMockDeliveries } from "../src/app/mock-deliveries.ts"
import { createMockMails, mockMailSender } from "../src/app/mock-mails.ts"
import { loadConfig } from "../src/config/load.ts"
import { mockOwn } from "../src/config/options.ts"
import { mockWebhookSecret } from "../src/mock/webhook-secret.ts"
import { systemClock } from "../src/ports/clock.ts"
import { createLog } from "../src/ports/log.ts"
import type { MailSender } from "../src/ports/mail-sender.ts"
import { createMockClock } from "../src/ports/mock-ports.ts"
import { systemRandom } from "../src/ports/random.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { webhookLimitMs } from "../src/ports/webhook-sender.ts"
import { openSqliteStore } from "../src/store/sqlite/open-sqlite.ts"
import { accountDetailsOf, changeOf } from "./support/admin-store.ts"
import { exhaust, listOf, startTestMock } from "./support/mock.ts"
import { startReceiver, statusOnly } from "./support/receiver.ts"
import { createManualTimer } from "./support/timer.ts"

test("one that closes the connection is tried for a day, and the move of the clock ends", async () => {
  let connections = 0
  const port = await listen((socket) => {
    connections++
    socket.destroy()
  })
  const mock = await startTestMock({ webhook: `http://127.0.0.1:${port}/hook` })
  await exhaust(mock)
  expect((await mock.control("PUT", "/clock", { advance: "31d" })).code).toBe(200)
  expect(connections).toBeGreaterThan(60)
  for (const { state, attempts } of (await listOf(mock, "notices")).slice(0, 3)) {
    expect(state).toBe("failed")
    expect(attempts.filter(({ status, error }) => status !== null || error === null)).toEqual([])
  }
})

test("a redirect is not followed", async () => {
  const [receiver, other] = [startReceiver(), startReceiver()]
  receiver.answer(() => statusOnly(307, { location: other.url }))
  const mock = await startTestMock({ webhook: receiver.url })
  await exhaust(mock)
  const pending = { state: "pending", reason: "answered 307", attempts: [{ status: 307 }] }
  expect(await listOf(mock, "notices")).toMatchObject([pending, pending, pending])
  expect(other.received).toEqual([])
})

test("an answer of 100 MB is not read to its end", async () => {
  const chunk = new Uint8Array(1_000_000)
  let asked = 0
  const receiver = startReceiver()
  receiver.answer(() => {
    let left = 100
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      asked++
      if (left-- > 0) controller.enqueue(chunk)
      else controller.close()
    }
    return new Response(new ReadableStream({ pull }))
  })
  const mock = await startTestMock({ webhook: receiver.url })
  await exhaust(mock)
  const delivered = { state: "delivered" }
  expect(await listOf(mock, "notices")).toMatchObject([delivered, delivered, delivered])
  expect(asked).toBeLessThan(60)
})

test("one that is silent takes ten seconds of a move of the clock, and is not asked again in it", async () => {
  const receiver = startReceiver()
  receiver.answer(() => new Promise(() => {}))
  const unused = () => {
    throw new Error("there is no mail")
  }
  const setup = openDeliveries({ send: unused })
  const { deliveries, store, clock, startMs } = setup
  const webhook = { url: receiver.url, secret: mockWebhookSecret, allowPrivate: false }
  await store.admin.apply(
    changeOf([
      { kind: "account.insert", account: accountDetailsOf() },
      { kind: "webhook.set", accountId: "acc_1", webhook },
      { kind: "notice.insert", ...notice, nowMs: startMs },
    ]),
  )
  const moved = deliveries.deliverUntil(startMs + 31 * dayMs, async () => {}, clock.set)
  await receiver.count(1)
  setup.passReal(webhookLimitMs)
  await moved
  expect(receiver.received).toHaveLength(1)
  const [listed] = await deliveries.list()
  expect(listed).toMatchObject({ id: "msg_1", state: "failed" })
  const [first, ...others] = listed?.attempts ?? []
  expect(first).toMatchObject({ sent: true, status: null, error: "no answer within 10 s" })
  expect(others.length).toBeGreaterThan(20)
  for (const attempt of others)
    expect(attempt).toMatchObject({ sent: false, error: expect.stringContaining("was silent before") })
  await setup.close()
})

test("a mail catcher that is silent takes ten seconds of a move of the clock, and is not asked again in it", async () => {
  const timer = createManualTimer()
  const { promise: connected, resolve: connect } = Promise.withResolvers<void>()
  const smtp = `smtp://127.0.0.1:${await listen(() => connect())}`
  const config = loadConfig({ flags: { smtp }, env: {}, file: null }, mockOwn)
  const asked: string[] = []
  const sender = mockMailSender(config, timer)
  const send: MailSender["send"] = (mail) => {
    asked.push(mail.to)
    return sender.send(mail)
  }
  const setup = openDeliveries({ send }, timer)
  const { deliveries, mails, store, clock, startMs } = setup
  const email = "ann@example.com"
  await store.admin.apply(
    changeOf([
      { kind: "account.insert", account: accountDetailsOf({ email, notify: "mail" }) },
      { kind: "notice.insert", ...notice, nowMs: startMs },
    ]),
  )
  const moved = deliveries.deliverUntil(startMs + 31 * dayMs, async () => {}, clock.set)
  await connected
  setup.passReal(webhookLimitMs)
  await moved
  expect(asked).toEqual([email])
  const [first, ...others] = mails.list()[0]?.attempts ?? []
  expect(first).toMatchObject({ status: null, error: "no end within 10 s" })
  expect(others.length).toBeGreaterThan(20)
  for (const attempt of others)
    expect(attempt).toMatchObject({ status: null, error: expect.stringContaining("was silent before") })
  await setup.close()
})

/** A server on loopback with nothing but its connections. Resolves with its port. */
async function listen(connected: (socket: Socket) => void): Promise<number> {
  const server = createServer(connected)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  afterAll(() => void server.close())
  return (server.address() as AddressInfo).port
}

const dayMs = 86_400_000
const notice = { id: "msg_1", accountId: "acc_1", type: "key.created", data: "{}" } as const

/** Deliveries on clocks that the test moves. */
function openDeliveries(sender: MailSender, timer = createManualTimer()) {
  const clock = createMockClock(Date.UTC(2025, 0, 1))
  let machineMs = 0
  const logged: string[] = []
  const store = openSqliteStore(":memory:", { timer: systemTimer })
  const mails = createMockMails(true)
  const deliveries = createMockDeliveries({
    ...{ outbox: store.outbox, clock, timer, clockRunsOn: false, signsTimeOf: "mock" },
    log: createLog((line) => logged.push(line)),
    machineClock: { ...systemClock, monotonicMs: () => machineMs },
    takeFault: () => null,
    mailing: {
      ...{ mails: store.mails, random: systemRandom, sender, shown: mails },
      ...{ brand: () => brand, unsubscribeLink: async () => "http://127.0.0.1/unsubscribe/x" },
    },
  })
  return {
    ...{ deliveries, mails, store, clock, startMs: clock.now() },
    passReal(ms: number) {
      machineMs += ms
      timer.advance(ms)
    },
    async close() {
      expect(logged.filter((line) => line.includes("delivery failed"))).toEqual([])
      await deliveries.stop()
      await store.store.close()
    },
  }
}

const brand = {
  ...{ title: "penknife", accent: "#000000", onAccent: "#ffffff", logo: null, portal: null },
  from: "no-reply@localhost",
}
