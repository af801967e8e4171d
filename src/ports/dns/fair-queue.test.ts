import { expect, test } from "bun:test"
import { systemTimer } from "../timer.ts"
import { createFairQueue } from "./fair-queue.ts"

/** A job that ends when told, and counts its starts. */
function manualJob(value: string) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const started = Promise.withResolvers<void>()
  const starts = { count: 0 }
  return {
    starts,
    started: started.promise,
    end: () => resolve(value),
    run: () => {
      starts.count += 1
      started.resolve()
      return promise
    },
  }
}

const queueOf = (slots: number, slotsPerCaller: number, slotsPerAccount = slots, slotsPerPlace = slots) =>
  createFairQueue<string>({
    slots,
    slotsPerCaller,
    slotsPerAccount,
    slotsPerPlace,
    startsPerTurn: Number.POSITIVE_INFINITY,
    timer: systemTimer,
  })
/** A question of its own place, unless one is named. */
const at = (key: string, place = key) => ({ key, place })
const newSignal = () => new AbortController().signal

test("one job for each key: all who ask meanwhile get the value of one run", async () => {
  const queue = queueOf(10, 10)
  const job = manualJob("x")
  const waiting = [1, 2, 3].map(() => queue.run(at("a"), job.run, undefined))
  const other = queue.run(at("b"), async () => "y", undefined)
  job.end()
  expect(await Promise.all(waiting)).toEqual(["x", "x", "x"])
  expect([await other, job.starts.count]).toEqual(["y", 1])
})

test("one job for each key: a later question starts a new job", async () => {
  const queue = queueOf(10, 10)
  await queue.run(at("a"), async () => "x", undefined)
  expect(await queue.run(at("a"), async () => "y", undefined)).toBe("y")
})

test("one job for each key: a caller that gives up does not take the others along", async () => {
  const queue = queueOf(10, 10)
  const job = manualJob("x")
  const leaving = new AbortController()
  const staying = new AbortController()
  const left = queue.run(at("a"), job.run, leaving.signal)
  const stayed = queue.run(at("a"), job.run, staying.signal)
  leaving.abort()
  expect(await left).toBeNull()
  job.end()
  expect(await stayed).toBe("x")
  staying.abort()
  expect(job.starts.count).toBe(1)
})

test("one job for each key: a job in flight that all have given up can still be joined", async () => {
  const queue = queueOf(10, 10)
  const job = manualJob("x")
  const leaving = new AbortController()
  const left = queue.run(at("a"), job.run, leaving.signal)
  leaving.abort()
  expect(await left).toBeNull()
  const joined = queue.run(at("a"), job.run, undefined)
  job.end()
  expect([await joined, job.starts.count]).toEqual(["x", 1])
})

/** `count` questions of one caller. */
function ask(
  queue: ReturnType<typeof createFairQueue<string>>,
  name: string,
  count: number,
  signal: AbortSignal,
  account?: string,
) {
  const jobs = Array.from({ length: count }, (_, n) => manualJob(`${name}${n}`))
  const answers = jobs.map((job, n) => queue.run(at(`${name}${n}`), job.run, signal, account))
  return { jobs, answers, startedCount: () => jobs.filter(({ starts }) => starts.count > 0).length }
}

test("several callers: one has no more jobs in flight than its limit, and the next starts when one of them ends", async () => {
  const one = ask(queueOf(100, 3), "a", 10, newSignal())
  expect(one.startedCount()).toBe(3)
  one.jobs[0]?.end()
  await one.answers[0]
  expect(one.startedCount()).toBe(4)
})

test("several callers: half of the slots is kept for callers with next to nothing in flight", async () => {
  const queue = queueOf(20, 8)
  const greedy = [1, 2, 3].map((n) => ask(queue, `g${n}-`, 50, newSignal()))
  expect(greedy.map(({ startedCount }) => startedCount())).toEqual([8, 2, 2])
  const modest = ask(queue, "m", 3, newSignal())
  expect(modest.startedCount()).toBe(2)
  modest.jobs[0]?.end()
  await modest.answers[0]
  expect(modest.startedCount()).toBe(3)
})

test("several callers: four accounts whose servers are slow leave slots to a fifth", () => {
  const queue = queueOf(32, 4, 8)
  let names = 0
  for (const n of [1, 2, 3, 4, 1, 2, 3, 4]) ask(queue, `slow${names++}-`, 8, newSignal(), `acc_${n}`)
  expect(ask(queue, "honest", 2, newSignal(), "acc_5").startedCount()).toBe(2)
})

test("several callers: one place gets no more questions at a time than its limit, whoever asks, and others go on", async () => {
  const queue = queueOf(100, 10, 10, 3)
  const jobs = [0, 1, 2, 3, 4].map((n) => manualJob(`v${n}`))
  const answers = jobs.map((job, n) => queue.run(at(`k${n}`, "victim"), job.run, newSignal(), `acc_${n}`))
  const startedCount = () => jobs.filter(({ starts }) => starts.count > 0).length
  expect(startedCount()).toBe(3)
  expect(await queue.run(at("elsewhere"), async () => "x", newSignal(), "acc_0")).toBe("x")
  for (const n of [0, 1]) {
    jobs[n]?.end()
    await answers[n]
  }
  expect(startedCount()).toBe(5)
})

test("several callers: callers take turns, however many jobs each has queued", async () => {
  const queue = queueOf(2, 2)
  const before = ask(queue, "z", 2, newSignal())
  const one = ask(queue, "a", 5, newSignal())
  const other = ask(queue, "b", 5, newSignal())
  const order: string[] = []
  for (const [name, { jobs }] of Object.entries({ one, other }))
    for (const job of jobs) job.started.then(() => order.push(name))
  for (const job of [before.jobs[0], before.jobs[1], one.jobs[0], other.jobs[0], one.jobs[1]]) job?.end()
  await one.jobs[2]?.started
  expect(order).toEqual(["one", "other", "one", "other", "one"])
})

test("several callers: a job that another caller has queued starts in the turn of either", async () => {
  const queue = queueOf(100, 1)
  const first = ask(queue, "a", 3, newSignal())
  expect(first.startedCount()).toBe(1)
  const joined = queue.run(at("a2"), () => Promise.reject(new Error("started twice")), newSignal())
  expect(first.jobs.map(({ starts }) => starts.count)).toEqual([1, 0, 1])
  first.jobs[2]?.end()
  expect([await joined, await first.answers[2]]).toEqual(["a2", "a2"])
})

test("several callers: a queued job that a caller has joined twice and given up twice can be asked for again", async () => {
  const queue = queueOf(100, 1)
  const leaving = new AbortController()
  const never = manualJob("x")
  const left = ["first", "a", "a"].map((key) => queue.run(at(key), never.run, leaving.signal))
  leaving.abort()
  expect(await Promise.all(left)).toEqual([null, null, null])
  expect(never.starts.count).toBe(1)
  expect(await queue.run(at("a"), async () => "again", newSignal())).toBe("again")
})

test("callers of one account together have no more jobs in flight than its limit", async () => {
  const queue = queueOf(100, 3, 5)
  const calls = ["a", "b", "c"].map((name) => ask(queue, name, 10, newSignal(), "account"))
  expect(calls.map(({ startedCount }) => startedCount())).toEqual([3, 2, 0])
  async function end(call: number, job: number): Promise<number[]> {
    calls[call]?.jobs[job]?.end()
    await calls[call]?.answers[job]
    return calls.map(({ startedCount }) => startedCount())
  }
  expect(await end(0, 0)).toEqual([4, 2, 0])
  expect(await end(0, 1)).toEqual([4, 3, 0])
  expect(await end(0, 2)).toEqual([4, 3, 1])
})

test("callers of one account share the reserved slots that one account may use", () => {
  const queue = queueOf(20, 8)
  const greedy = Array.from({ length: 20 }, (_, n) => ask(queue, `g${n}-`, 1, newSignal(), "greedy"))
  expect(greedy.filter(({ startedCount }) => startedCount() === 1)).toHaveLength(10)
  expect(ask(queue, "m", 3, newSignal(), "modest").startedCount()).toBe(2)
})

test("callers of one account get one turn after the turn of each other account", async () => {
  const queue = queueOf(2, 2)
  const before = ask(queue, "z", 2, newSignal())
  const many = Array.from({ length: 5 }, (_, n) => ask(queue, `m${n}-`, 2, newSignal(), "many"))
  const one = ask(queue, "o", 2, newSignal(), "one")
  const order: string[] = []
  for (const [name, jobs] of [
    ["many", many.flatMap(({ jobs }) => jobs)],
    ["one", one.jobs],
  ] as const)
    for (const job of jobs) job.started.then(() => order.push(name))
  for (const job of [before.jobs[0], before.jobs[1], many[0]?.jobs[0], one.jobs[0]]) job?.end()
  await many[1]?.jobs[0]?.started
  await one.jobs[1]?.started
  expect(order).toEqual(["many", "one", "many", "one"])
})

test("the slots are never exceeded, and the queued jobs follow in order", async () => {
  const queue = queueOf(2, 10)
  const jobs = ["a", "b", "c", "d"].map(manualJob)
  const waiting = jobs.map((job, index) => queue.run(at(`${index}`), job.run, undefined))
  const starts = () => jobs.map((job) => job.starts.count)
  expect(starts()).toEqual([1, 1, 0, 0])
  jobs[1]?.end()
  await waiting[1]
  expect(starts()).toEqual([1, 1, 1, 0])
  for (const job of jobs) job.end()
  expect(await Promise.all(waiting)).toEqual(["a", "b", "c", "d"])
})

test("the slots: a queued job that all have given up is never started, unless it is asked for again", async () => {
  const queue = queueOf(1, 10)
  const first = manualJob("x")
  const inFlight = queue.run(at("a"), first.run, undefined)
  const queued = manualJob("y")
  const leaving = new AbortController()
  const left = queue.run(at("b"), queued.run, leaving.signal)
  leaving.abort()
  expect(await left).toBeNull()
  first.end()
  await inFlight
  expect([queued.starts.count, await queue.run(at("b"), async () => "z", undefined)]).toEqual([0, "z"])
})

test("the slots: a job that fails frees its slot as well", async () => {
  const queue = queueOf(1, 10)
  const failing = queue.run(at("a"), () => Promise.reject(new Error("bug")), undefined)
  const next = queue.run(at("b"), async () => "y", undefined)
  expect(failing).rejects.toThrow("bug")
  expect(await next).toBe("y")
})

test("turns of the event loop: few jobs start in each, and all in the end, the accounts by turns", async () => {
  const started: string[] = []
  let beginTurn = () => {}
  const timer = {
    turn: () =>
      new Promise<void>((resolve) => {
        beginTurn = resolve
      }),
  }
  const queue = createFairQueue<string>({
    ...{ slots: 100, slotsPerCaller: 100, slotsPerAccount: 100, slotsPerPlace: 100 },
    ...{ startsPerTurn: 3, timer },
  })
  const run = (account: string, number: number) =>
    queue.run(
      at(`${account}${number}`),
      async () => {
        started.push(`${account}${number}`)
        return ""
      },
      undefined,
      account,
    )
  const jobs = [1, 2, 3, 4, 5].map((number) => run("a", number))
  jobs.push(run("b", 1))
  await Promise.all(jobs.slice(0, 3))
  // The end of these lets no more start before the next turn.
  expect(started).toEqual(["a1", "a2", "a3"])
  beginTurn()
  await Promise.all(jobs)
  expect(started).toEqual(["a1", "a2", "a3", "a4", "b1", "a5"])
})
