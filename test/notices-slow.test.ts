/** Silent receivers delay only their own messages. */
import { expect, test } from "bun:test"
import { systemTimer } from "../src/ports/timer.ts"
import { createWebhookSender, type WebhookResponse, type WebhookSender } from "../src/ports/webhook-sender.ts"
import { createAccount, hour, useWorkers, type Worker } from "./support/notices.ts"
import { startReceiver, statusOnly } from "./support/receiver.ts"
import { noWaitTimer } from "./support/timer.ts"
import { until } from "./support/until.ts"

const { openWorker } = useWorkers()

/** Creates an account that has used this much, so that its notices are due. */
async function addAccount(worker: Worker, id: string, url: string, used = 1_000): Promise<void> {
  await createAccount(worker, id, url)
  worker.use(id, used)
}

/** A receiver that does not answer until `end` is called. */
function startSilent() {
  const over = Promise.withResolvers<void>()
  const receiver = startReceiver()
  receiver.answer(async () => {
    await over.promise
    return statusOnly(204)
  })
  return { ...receiver, end: over.resolve }
}

test("64 silent receivers do not delay the messages to others", async () => {
  // The attempts do not end by time: a busy machine may need as long for what is checked meanwhile.
  const worker = openWorker({
    sender: createWebhookSender({ timer: { ...systemTimer, after: () => () => {} } }),
  })
  const { clock, notices, delivery } = worker
  const silent = Array.from({ length: 64 }, startSilent)
  for (const [i, { url }] of silent.entries()) await addAccount(worker, `acc_s${i}`, url)
  delivery.start()
  await Promise.all(silent.map(({ count }) => count(1)))

  const healthy = startReceiver()
  clock.advance(1_000)
  for (let i = 0; i < 3; i++) await addAccount(worker, `acc_h${i}`, healthy.url)
  await healthy.count(6)
  await until(async () => (await notices.list()).filter(({ state }) => state === "delivered").length === 6)
  for (const { accountId, state, attempts } of await notices.list()) {
    const expected = accountId.startsWith("acc_h") ? ["delivered", 1] : ["pending", 0]
    expect([state, attempts]).toEqual(expected as [typeof state, number])
  }
  // One message to each host at a time: the second notice of each account waits.
  for (const { received } of silent) expect(received).toHaveLength(1)

  for (const { end } of silent) end()
  await until(async () => (await notices.list()).every(({ state }) => state === "delivered"))
  await delivery.stop()
  for (const { received } of silent) expect(received).toHaveLength(2)
}, 300_000)

test("a host gets one message at a time, however many accounts use it", async () => {
  const worker = openWorker()
  const receiver = startReceiver()
  let now = 0
  let most = 0
  receiver.answer(async () => {
    most = Math.max(most, ++now)
    await noWaitTimer.turn()
    now--
    return statusOnly(204)
  })
  for (let i = 0; i < 10; i++) await addAccount(worker, `acc_${i}`, `${receiver.url}/${i}`)
  expect(await worker.delivery.runDue()).toBe(20)
  expect(most).toBe(1)
  expect(new Set(receiver.received.map(({ path }) => path)).size).toBe(10)
})

/** A sender whose attempts end when the test ends them. */
function createHeldSender() {
  const held = new Map<string, (response: WebhookResponse) => void>()
  const sender: WebhookSender = {
    send: ({ url }) => new Promise((resolve) => held.set(new URL(url).host, resolve)),
  }
  const endAll = (response: WebhookResponse) => {
    for (const [host, resolve] of [...held]) {
      held.delete(host)
      resolve(response)
    }
  }
  return { sender, held, endAll }
}

test("at most 256 attempts at once, of which 128 repetitions: new notices find a place", async () => {
  const { sender, held, endAll } = createHeldSender()
  const worker = openWorker({ sender })
  const { clock, delivery, database, timer } = worker
  database.run("BEGIN")
  for (let i = 0; i < 300; i++) await addAccount(worker, `acc_${i}`, `https://r${i}.example/`, 800)
  database.run("COMMIT")
  delivery.start()
  await until(() => held.size === 256)
  await timer.asked()
  expect(held.size).toBe(256)
  endAll({ error: "no answer within 10 s" })
  await until(() => held.size === 44)
  endAll({ error: "no answer within 10 s" })
  await until(() => database.query("SELECT 1 FROM notices WHERE attempts = 0").get() === null)

  clock.advance(hour)
  timer.fire()
  await until(() => held.size === 128)
  await timer.asked()
  expect(held.size).toBe(128)
  await addAccount(worker, "acc_new", "https://new.example/", 800)
  await until(() => held.has("new.example"))
  expect(held.size).toBe(129)

  // When one ends, the next repetition takes its place.
  const [first] = [...held.keys()] as [string]
  held.get(first)?.({ status: 204, retryAfter: null })
  held.delete(first)
  await until(() => held.size === 129)
  const stopped = delivery.stop()
  endAll({ status: 204, retryAfter: null })
  await stopped
  expect(held.size).toBe(0)
}, 300_000)
