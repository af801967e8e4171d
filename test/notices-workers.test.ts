/** The delivery of notices under clocks that jump, and its loop. Several processes, and ones that die, are in test/simulation. */
import { expect, test } from "bun:test"
import { createManualClock } from "./support/clock.ts"
import { createAccount, hour, runUntil, useWorkers, verify } from "./support/notices.ts"
import { type Received, statusOnly } from "./support/receiver.ts"
import { until } from "./support/until.ts"

const { openWorker, setUp } = useWorkers()

test.each([
  ["back by an hour", "2024-12-31T23:00:00Z"],
  ["back by a year", "2024-01-01T00:00:00Z"],
  ["past the month's end", "2025-03-05T00:00:00Z"],
  ["forward by ten years", "2035-01-01T00:00:00Z"],
])("clocks that jump: %s: a waiting notice is still delivered, once", async (_, to) => {
  const set = await setUp()
  const { receiver, account, clock, notices } = set
  receiver.answer(() => statusOnly(500))
  set.use(account, 800)
  await runUntil(set, clock.now() + hour)
  clock.set(to)
  receiver.answer(() => statusOnly(200))
  await runUntil(set)
  expect(await notices.list()).toMatchObject([{ state: "delivered" }])
  expect(Math.abs(clock.now() - Date.parse(to))).toBeLessThanOrEqual(2 * hour)
  expect((await notices.attempts()).filter(({ status }) => status === 200)).toHaveLength(1)
  expect(verify(receiver.received.at(-1) as Received, set.secret)).toMatchObject({
    data: { period_start: "2025-01-01T00:00:00.000Z", period_end: "2025-02-01T00:00:00.000Z" },
  })
})

test.each(["3600", "86400"])(
  "clocks that jump: a Retry-After of %s s is not a clock set back",
  async (retryAfter) => {
    // By the monotonic clock, the attempt ended later than the wall clock shows.
    const clock = createManualClock("2025-01-01T00:00:00Z")
    let ticks = 0
    const drifting = { ...clock, monotonicMs: () => (ticks += 9_000) }
    const sender = { send: async () => ({ status: 500, retryAfter }) }
    const worker = openWorker({ clock: drifting, sender })
    await createAccount(worker, "acc_1", "http://localhost:1/")
    worker.use("acc_1", 800)
    expect(await worker.delivery.runDue()).toBe(1)
    expect(await worker.notices.list()).toMatchObject([{ waitedMs: hour }])
    expect(await worker.delivery.runDue()).toBe(0)
    clock.advance(hour + 8_999)
    expect(await worker.delivery.runDue()).toBe(0)
    clock.advance(1)
    expect(await worker.delivery.runDue()).toBe(1)
  },
)

test("clocks that jump: a jump does not shorten the day of attempts", async () => {
  const set = await setUp()
  set.receiver.answer(() => statusOnly(500))
  set.use(set.account, 800)
  await set.delivery.runDue()
  set.clock.set("2026-01-01T00:00:00Z")
  await set.delivery.runDue()
  expect(await set.notices.list()).toMatchObject([{ state: "pending", attempts: 2 }])
})

test("the loop sends a new notice at once, and sleeps until the next attempt, a minute at most", async () => {
  const { receiver, account, clock, delivery, timer, notices, use } = await setUp()
  delivery.start()
  await timer.asked()
  expect(timer.waiting).toEqual([60_000])

  receiver.answer(() => statusOnly(500))
  use(account, 800)
  await receiver.count(1)
  const isDelayed = (delayMs = 0) => delayMs >= 2_500 && delayMs <= 5_000
  await until(() => isDelayed(timer.waiting[0]))
  const [notice] = await notices.list()
  expect(timer.waiting).toEqual([Number(notice?.nextAttemptMs) - clock.now()])

  receiver.answer(() => statusOnly(200))
  clock.advance(Number(timer.waiting[0]))
  timer.fire()
  await until(async () => (await notices.list())[0]?.state === "delivered")
  await timer.asked()
  expect(receiver.received).toHaveLength(2)
  expect(timer.waiting).toEqual([60_000])
  await delivery.stop()
  expect(timer.waiting).toEqual([])
})

test("the loop: stop waits for the attempt in progress, records it, and starts no other", async () => {
  const { receiver, account, delivery, timer, notices, use } = await setUp()
  const release = Promise.withResolvers<void>()
  receiver.answer(() => release.promise.then(() => statusOnly(200)))
  delivery.start()
  use(account, 800)
  await receiver.count(1)
  use(account, 950)
  const stopped = delivery.stop()
  release.resolve()
  await stopped
  expect((await notices.list()).map(({ state }) => state)).toEqual(["delivered", "pending"])
  expect(timer.waiting).toEqual([])
  expect(await delivery.runDue()).toBe(0)
})

test("the loop: an unavailable store is logged and tried again after a second", async () => {
  const set = await setUp()
  const { receiver, delivery, timer, logged } = set
  set.use(set.account, 800)
  set.database.run("PRAGMA busy_timeout = 0")
  const blocker = openWorker(set).database
  blocker.run("BEGIN IMMEDIATE")
  delivery.start()
  await timer.asked()
  expect(logged.at(-1)).toMatchObject({ level: "error", message: "notice delivery failed" })
  expect(timer.waiting).toEqual([1_000])
  blocker.run("ROLLBACK")
  timer.fire()
  await receiver.count(1)
  await delivery.stop()
})
