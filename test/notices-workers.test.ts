/** Delivery by several processes, by ones that die, under clocks that jump; and the loop that drives it. */
import { describe, expect, test } from "bun:test"
import { createManualClock } from "./support/clock.ts"
import { createAccount, hour, runUntil, useWorkers, verify } from "./support/notices.ts"
import { type Received, startReceiver } from "./support/receiver.ts"
import { until } from "./support/until.ts"

const { openWorker, setUp } = useWorkers()

describe("several processes, and ones that die", () => {
  test("two workers on one file send everything once between them", async () => {
    const receiver = startReceiver()
    const one = openWorker()
    const two = openWorker(one.file, one.clock)
    for (let i = 0; i < 40; i++) {
      const account = await createAccount(one, `acc_${i}`)
      await one.notices.setWebhook(account, receiver.url, { allowPrivate: false })
      one.use(account, 1_000)
    }
    // The first answers wait for each other, so that both workers are at it at the same time.
    const both = Promise.withResolvers<void>()
    receiver.answer(async () => {
      if (receiver.received.length >= 2) both.resolve()
      await both.promise
      return new Response(null, { status: 200 })
    })
    const counts = await Promise.all([one.delivery.runDue(), two.delivery.runDue()])
    expect(counts[0] + counts[1]).toBe(80)
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(1)
    expect(receiver.received).toHaveLength(80)
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(80)
    for (const { state } of await two.notices.list()) expect(state).toBe("delivered")
  })

  test("what a worker had claimed when it died is sent when its lease has run out", async () => {
    const { file, clock, receiver, account, use } = await setUp()
    use(account, 800)
    const dying = openWorker(file, clock, { send: () => new Promise(() => {}) })
    void dying.delivery.runDue()
    const other = openWorker(file, clock)
    expect(await other.delivery.runDue()).toBe(0)
    clock.advance(60_000)
    expect(await other.delivery.runDue()).toBe(1)
    expect(receiver.received).toHaveLength(1)
  })

  test("what was sent but could not be written down is sent again under the same id", async () => {
    const set = await setUp()
    const { file, receiver, account, clock, delivery, notices } = set
    set.use(account, 800)
    const blocker = openWorker(file).database
    set.database.run("PRAGMA busy_timeout = 0")
    receiver.answer(() => {
      blocker.run("BEGIN IMMEDIATE")
      return new Response(null, { status: 200 })
    })
    await delivery.runDue()
    blocker.run("ROLLBACK")
    expect(set.logged.at(-1)).toMatchObject({ level: "error", message: "notice delivery failed" })
    expect(await notices.list()).toMatchObject([{ state: "pending", attempts: 0 }])

    receiver.answer(() => new Response(null, { status: 200 }))
    clock.advance(60_000)
    await delivery.runDue()
    expect(await notices.list()).toMatchObject([{ state: "delivered", attempts: 1 }])
    expect(receiver.received).toHaveLength(2)
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1)
  })
})

describe("clocks that jump", () => {
  test.each([
    ["back by an hour", "2024-12-31T23:00:00Z"],
    ["back by a year", "2024-01-01T00:00:00Z"],
    ["over the month's end", "2025-03-05T00:00:00Z"],
    ["forward by ten years", "2035-01-01T00:00:00Z"],
  ])("%s: what waits is still delivered, once", async (_, to) => {
    const set = await setUp()
    const { receiver, account, clock, notices } = set
    receiver.answer(() => new Response(null, { status: 500 }))
    set.use(account, 800)
    await runUntil(set, clock.now() + hour)
    clock.set(to)
    receiver.answer(() => new Response(null, { status: 200 }))
    await runUntil(set)
    expect(await notices.list()).toMatchObject([{ state: "delivered" }])
    expect(Math.abs(clock.now() - Date.parse(to))).toBeLessThanOrEqual(2 * hour)
    expect((await notices.attempts()).filter(({ status }) => status === 200)).toHaveLength(1)
    expect(verify(receiver.received.at(-1) as Received, set.secret)).toMatchObject({
      data: { period_start: "2025-01-01T00:00:00.000Z", period_end: "2025-02-01T00:00:00.000Z" },
    })
  })

  test.each([
    ["an hour", "3600"],
    ["a day", "86400"],
  ])("a Retry-After of %s is not taken for a clock set back", async (_, retryAfter) => {
    // By the time that an attempt took, measured apart, it ended later than the clock on the wall shows.
    const clock = createManualClock("2025-01-01T00:00:00Z")
    let ticks = 0
    const drifting = { ...clock, monotonicMs: () => (ticks += 9_000) }
    const worker = openWorker(undefined, drifting, { send: async () => ({ status: 500, retryAfter }) })
    const account = await createAccount(worker, "acc_1")
    await worker.notices.setWebhook(account, "http://localhost:1/", { allowPrivate: false })
    worker.use(account, 800)
    expect(await worker.delivery.runDue()).toBe(1)
    expect(await worker.notices.list()).toMatchObject([{ waitedMs: hour }])
    expect(await worker.delivery.runDue()).toBe(0)
    clock.advance(hour + 8_999)
    expect(await worker.delivery.runDue()).toBe(0)
    clock.advance(1)
    expect(await worker.delivery.runDue()).toBe(1)
  })

  test("a jump does not use up the day of trying", async () => {
    const set = await setUp()
    set.receiver.answer(() => new Response(null, { status: 500 }))
    set.use(set.account, 800)
    await set.delivery.runDue()
    set.clock.set("2026-01-01T00:00:00Z")
    await set.delivery.runDue()
    expect(await set.notices.list()).toMatchObject([{ state: "pending", attempts: 2 }])
  })
})

describe("the loop", () => {
  test("sends what is raised at once, and sleeps until the next attempt, a minute at most", async () => {
    const { receiver, account, clock, delivery, timer, notices, use } = await setUp()
    delivery.start()
    await timer.asked()
    expect(timer.waiting).toEqual([60_000])

    receiver.answer(() => new Response(null, { status: 500 }))
    use(account, 800)
    await receiver.count(1)
    const isDelayed = (delayMs = 0) => delayMs >= 2_500 && delayMs <= 5_000
    await until(() => isDelayed(timer.waiting[0]))
    const [notice] = await notices.list()
    expect(timer.waiting).toEqual([Number(notice?.nextAttemptMs) - clock.now()])

    receiver.answer(() => new Response(null, { status: 200 }))
    clock.advance(Number(timer.waiting[0]))
    timer.fire()
    await until(async () => (await notices.list())[0]?.state === "delivered")
    await timer.asked()
    expect(receiver.received).toHaveLength(2)
    expect(timer.waiting).toEqual([60_000])
    await delivery.stop()
    expect(timer.waiting).toEqual([])
  })

  test("begins with what an earlier process has left", async () => {
    const { file, clock, receiver, account, use } = await setUp()
    use(account, 800)
    const next = openWorker(file, clock)
    next.delivery.start()
    await receiver.count(1)
    await next.delivery.stop()
    expect(await next.notices.list()).toMatchObject([{ state: "delivered" }])
  })

  test("stop waits for the attempt under way, writes it down, and begins no other", async () => {
    const { receiver, account, delivery, timer, notices, use } = await setUp()
    const release = Promise.withResolvers<void>()
    receiver.answer(async () => {
      await release.promise
      return new Response(null, { status: 200 })
    })
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

  test("a store that does not answer is logged and tried again, not spun on", async () => {
    const { file, receiver, account, delivery, timer, database, logged, use } = await setUp()
    use(account, 800)
    database.run("PRAGMA busy_timeout = 0")
    const blocker = openWorker(file).database
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
})
