import { expect, test } from "bun:test"
import { createManualClock } from "../../test/support/clock.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import { ApiMistake, Busy, type Timer } from "../apis/contract.ts"
import { systemClock } from "../ports/clock.ts"
import { createMockDns, createSeededRandom } from "../ports/mock-ports.ts"
import { systemTimer } from "../ports/timer.ts"
import { webOff } from "../ports/web/fixed-web.ts"
import type { PoolCaller } from "./places.ts"
import { createPluginPool } from "./plugin-pool.ts"
import type { CallContext, PluginWorker } from "./plugin-worker.ts"
import { createThreadTime } from "./thread-time.ts"

const timer = createManualTimer()
const ports = {
  clock: systemClock,
  random: createSeededRandom("a"),
  dns: createMockDns({}),
  web: webOff,
  timer,
}

/** A thread whose runs give its number, or fail. */
function createThread(number: number) {
  const thread = { number, isWorn: false, isEnded: false, isBroken: false }
  const worker: PluginWorker = {
    async run() {
      if (thread.isBroken) throw new ApiMistake("broken")
      return { number }
    },
    usedMs: () => null,
    isUsable: () => !thread.isWorn,
    end() {
      thread.isEnded = true
    },
  }
  return { thread, worker }
}

const limits = {
  maxWorkers: 1,
  limitMs: 1_000,
  maxOutputLength: 100,
  maxMemoryBytes: 1 << 28,
  maxKeptBytes: 1 << 28,
  maxAskingMs: 1_000,
}

/** A pool of one thread at a time. */
function createTrial(options: { readonly timer?: Timer; readonly keepsOne?: boolean } = {}) {
  const first = createThread(0)
  const threads = [first.thread]
  const pool = createPluginPool(first.worker, {
    ...{ clock: systemClock, time: createThreadTime(systemClock), timer, ...options },
    async start() {
      const next = createThread(threads.length)
      threads.push(next.thread)
      return next.worker
    },
    checkOutput: (output) => output as Record<string, unknown>,
    onFault() {},
  })
  return {
    pool,
    threads,
    call: async () => (await pool.run({}, { ports, premium: true }, { account: "account" }, limits)).number,
  }
}

test("a thread that can run no more while it waits for a call is ended, and another one runs the call", async () => {
  const { pool, threads, call } = createTrial()
  const numbers: unknown[] = []
  for (let calls = 0; calls < 5; calls++) {
    numbers.push(await call())
    // Something that the call left behind fails.
    const last = threads.at(-1)
    if (last) last.isWorn = true
  }
  expect(numbers).toEqual([0, 1, 2, 3, 4])
  expect(threads.map(({ isEnded }) => isEnded)).toEqual([true, true, true, true, false])
  pool.end()
  expect(threads.at(-1)?.isEnded).toBe(true)
})

test("a thread in which two calls in a row fail is ended: one may have broken something for all later ones", async () => {
  const { threads, call } = createTrial()
  const [first] = threads
  if (!first) throw new Error("there is a first thread")
  // One fault alone leaves it.
  first.isBroken = true
  await expect(call()).rejects.toThrow("broken")
  first.isBroken = false
  expect(await call()).toBe(0)
  first.isBroken = true
  await expect(call()).rejects.toThrow("broken")
  await expect(call()).rejects.toThrow("broken")
  expect(first.isEnded).toBe(true)
  expect(await call()).toBe(1)
})

interface HeldRun {
  readonly account: unknown
  readonly place: CallContext["place"]
  end(): void
}

/** A pool whose threads run until the test ends the run. Each call gives the number of its thread. */
function createHeldTrial(maxWorkers: number, options: { readonly keepsOne?: boolean } = {}) {
  const timer = createManualTimer()
  const clock = createManualClock()
  const threads: { isEnded: boolean }[] = []
  /** The oldest first. */
  const runs: HeldRun[] = []
  const start = (): PluginWorker => {
    const thread = { isEnded: false }
    const number = threads.push(thread) - 1
    let fail = (_: Error) => {}
    return {
      run: (account, { place }) =>
        new Promise((resolve, reject) => {
          fail = reject
          runs.push({ account, place, end: () => resolve({ number }) })
        }),
      usedMs: () => null,
      isUsable: () => !thread.isEnded,
      end() {
        thread.isEnded = true
        fail(new ApiMistake("it was ended"))
      },
    }
  }
  const faults: string[] = []
  const pool = createPluginPool(start(), {
    ...{ clock, time: createThreadTime(clock), timer, ...options },
    start: async () => start(),
    checkOutput: (output) => output as Record<string, unknown>,
    onFault: ({ message }) => faults.push(message),
  })
  async function advance(ms: number): Promise<void> {
    clock.advance(ms)
    timer.advance(ms)
    await systemTimer.turn()
  }
  return {
    ...{ pool, runs, threads, faults, advance },
    call: async (account: string, caller: Partial<PoolCaller> = {}) =>
      (await pool.run(account, { ports, premium: true }, { account, ...caller }, { ...limits, maxWorkers }))
        .number,
    /** The accounts of the present runs. */
    running: () => runs.map(({ account }) => account),
    /** Lets the oldest run take so long, and ends it. */
    async endOne(ms = 0) {
      await advance(ms)
      runs.shift()?.end()
      await systemTimer.turn()
    },
    /** Ends the runs, and those that begin then. */
    async endAll() {
      for (; runs.length > 0; await systemTimer.turn()) for (const { end } of runs.splice(0)) end()
    },
  }
}

test("a thread that cannot be started is a fault of the call that needs it, and the next call tries again", async () => {
  const first = createThread(0)
  const faults: string[] = []
  let starts = 0
  const pool = createPluginPool(first.worker, {
    ...{ clock: systemClock, timer, time: createThreadTime(systemClock) },
    async start() {
      if (++starts < 3) throw new Error(`no ${starts}`)
      return createThread(starts).worker
    },
    checkOutput: (output) => output as Record<string, unknown>,
    onFault: ({ message }) => faults.push(message),
  })
  const call = () => pool.run({}, { ports, premium: true }, { account: "account" }, limits)
  first.thread.isWorn = true
  await expect(call()).rejects.toThrow(ApiMistake)
  // Nothing is started again and again while nobody calls.
  for (let turns = 0; turns < 100; turns++) await systemTimer.turn()
  expect(starts).toBe(1)
  await expect(call()).rejects.toThrow(ApiMistake)
  expect(await call()).toEqual({ number: 3 })
  expect(faults).toEqual(["no thread can be started for it: no 1", "no thread can be started for it: no 2"])
})

test("a call for which no other thread can be started waits for one that runs", async () => {
  const timer = createManualTimer()
  const runs: (() => void)[] = []
  const first: PluginWorker = {
    run: () => new Promise((resolve) => runs.push(() => resolve({ number: 0 }))),
    ...{ usedMs: () => null, isUsable: () => true, end() {} },
  }
  const faults: string[] = []
  const pool = createPluginPool(first, {
    ...{ clock: systemClock, timer, time: createThreadTime(systemClock) },
    start: () => Promise.reject(new Error("its file was changed")),
    checkOutput: (output) => output as Record<string, unknown>,
    onFault: ({ message }) => faults.push(message),
  })
  const call = (account: string) =>
    pool.run({}, { ports, premium: true }, { account }, { ...limits, maxWorkers: 2 })
  const both = [call("one"), call("two")]
  await systemTimer.turn()
  timer.advance(20)
  for (let ended = 0; ended < 2; ended++) {
    await systemTimer.turn()
    runs.shift()?.()
  }
  await systemTimer.turn()
  runs.shift()?.()
  expect(await Promise.all(both)).toEqual([{ number: 0 }, { number: 0 }])
  expect(faults).toEqual([])
  pool.end()
})

test("a call waits a little for a thread that becomes free before another one is started for it", async () => {
  const { pool, threads, runs, call, advance, endAll } = createHeldTrial(4)
  // Calls that take less time than the start of a thread take turns.
  const short = [call("one"), call("two"), call("three")]
  for (let turns = 0; turns < 3; turns++) {
    await systemTimer.turn()
    expect(runs.length).toBe(1)
    runs.shift()?.end()
  }
  expect(await Promise.all(short)).toEqual([0, 0, 0])
  expect(threads.length).toBe(1)
  // Others do not wait for a call that takes long.
  const long = [call("one"), call("two"), call("three")]
  await advance(19)
  expect(runs.length).toBe(1)
  await advance(1)
  expect(runs.length).toBe(3)
  expect(threads.length).toBe(3)
  await endAll()
  expect((await Promise.all(long)).toSorted()).toEqual([0, 1, 2])
  pool.end()
})

test("no more threads are started than accounts may use", async () => {
  const { pool, threads, runs, call, advance, endAll } = createHeldTrial(4)
  const many = Array.from({ length: 10 }, () => call("one"))
  await advance(20)
  expect([threads.length, runs.length]).toEqual([2, 2])
  const other = call("two")
  await advance(20)
  expect([threads.length, runs.length]).toEqual([3, 3])
  await endAll()
  await Promise.all([...many, other])
  expect(threads.length).toBe(3)
  pool.end()
})

test("accounts take turns: nobody waits for all calls of another one", async () => {
  const { pool, runs, call } = createHeldTrial(1)
  const order: string[] = []
  const run = (account: string) => call(account).then(() => order.push(account))
  const all = ["one", "one", "one", "one", "two", "three", "two"].map(run)
  for (let left = all.length; left > 0; left--) {
    await systemTimer.turn()
    runs.shift()?.end()
  }
  await Promise.all(all)
  expect(order).toEqual(["one", "three", "two", "two", "one", "one", "one"])
  pool.end()
})

test("accounts with many calls leave places to others: each has as many as are free", async () => {
  const { pool, call, endAll } = createHeldTrial(1)
  const refused = new Map<string, number>()
  const many = ["one", "two", "three"].flatMap((account) =>
    Array.from({ length: 200 }, () =>
      call(account).catch(() => refused.set(account, (refused.get(account) ?? 0) + 1)),
    ),
  )
  const other = call("four")
  await systemTimer.turn()
  // One of the first account runs; it and the others wait in 128, 64 and 32 places.
  expect([...refused]).toEqual([
    ["one", 71],
    ["two", 136],
    ["three", 168],
  ])
  await endAll()
  expect(await other).toBe(0)
  await Promise.all(many)
  pool.end()
})

test.each([true, false])(
  "of several threads, one that nobody uses for five seconds ends (%p)",
  async (keepsOne) => {
    const { pool, threads, call, advance, runs, endAll } = createHeldTrial(4, { keepsOne })
    const ended = () => threads.map(({ isEnded }) => isEnded)
    const both = [call("one"), call("two")]
    await advance(20)
    await endAll()
    await Promise.all(both)
    // One call at a time is run by the thread that was used last.
    for (let seconds = 0; seconds < 4; seconds++) {
      const next = call("one")
      await advance(1_000)
      await endAll()
      expect(await next).toBe(1)
    }
    await advance(999)
    expect(ended()).toEqual([false, false])
    // Also while the other one is in use.
    const last = call("one")
    await advance(1)
    expect(ended()).toEqual([true, false])
    expect(runs.length).toBe(1)
    await endAll()
    expect(await last).toBe(1)
    await advance(59_999)
    expect(ended()).toEqual([true, false])
    await advance(1)
    expect(ended()).toEqual([true, !keepsOne])
    pool.end()
  },
)

test.each([
  ["kept ready in a pool that keeps one", true],
  ["ended in one that does not, and the next call starts another", false],
])("a thread that nobody used for a minute is %s", async (_what, keepsOne) => {
  const minutes = createManualTimer()
  const { threads, call, pool } = createTrial({ timer: minutes, keepsOne })
  expect(await call()).toBe(0)
  minutes.advance(59_999)
  // The minute begins again with each call.
  expect(await call()).toBe(0)
  minutes.advance(59_999)
  expect(threads[0]?.isEnded).toBe(false)
  minutes.advance(1)
  expect(threads[0]?.isEnded).toBe(!keepsOne)
  expect(threads).toHaveLength(1)
  expect(await call()).toBe(keepsOne ? 0 : 1)
  pool.end()
})

test("the next call is of the account that has used the least time, however many calls it made", async () => {
  const { call, running, endOne, endAll, pool } = createHeldTrial(1)
  const long = [call("long"), call("long")]
  await systemTimer.turn()
  const short = Array.from({ length: 6 }, () => call("short"))
  await endOne(1_000)
  for (let calls = 0; calls < 6; calls++) {
    expect(running()).toEqual(["short"])
    await endOne(100)
  }
  expect(running()).toEqual(["long"])
  await endAll()
  await Promise.all([...long, ...short])
  pool.end()
})

test("of accounts that have used nothing yet, the one with the fewest waiting calls is next", async () => {
  const { call, running, endOne, endAll, pool } = createHeldTrial(1)
  const crowds = ["one", "two", "three"].flatMap((account) => [1, 2, 3, 4].map(() => call(account)))
  await systemTimer.turn()
  const honest = call("honest")
  await endOne(1_000)
  expect(running()).toEqual(["honest"])
  await endAll()
  await Promise.all([...crowds, honest])
  pool.end()
})

test("an account that has used a little does not wait for the first runs of many new ones", async () => {
  const { call, running, endOne, endAll, pool } = createHeldTrial(1)
  const before = call("honest")
  await systemTimer.turn()
  await endOne(5)
  await before
  const crowds = ["one", "two", "three"].flatMap((account) => [1, 2, 3, 4].map(() => call(account)))
  await systemTimer.turn()
  const honest = call("honest")
  await endOne(1_000)
  expect(running()).toEqual(["honest"])
  await endAll()
  await Promise.all([...crowds, honest])
  pool.end()
})

test("time is forgotten: after a minute an account that used much has its turn again", async () => {
  const { call, running, advance, endOne, endAll, pool } = createHeldTrial(1)
  const first = call("long")
  await systemTimer.turn()
  await endOne(1_000)
  await first
  await advance(60_000)
  const now = call("new")
  await systemTimer.turn()
  await endOne(150)
  const blocker = call("blocker")
  const next = [call("new"), call("long")]
  await endOne()
  expect(running()).toEqual(["long"])
  await endAll()
  await Promise.all([now, blocker, ...next])
  pool.end()
})

test("of the threads that have nothing to do, one fewer stays than there are places", async () => {
  const { call, runs, threads, advance, endOne, pool } = createHeldTrial(3)
  const calls = ["one", "two", "three", "four"].map((account) => call(account, { asks: true }))
  // A run that waits for answers leaves its place, so that a fourth thread starts.
  for (let turns = 0; turns < 3; turns++) await advance(20)
  runs[0]?.place.leave()
  await advance(20)
  expect([runs.length, threads.length]).toEqual([4, 4])
  for (let ended = 0; ended < 4; ended++) await endOne()
  expect(threads.filter(({ isEnded }) => !isEnded)).toHaveLength(2)
  await Promise.all(calls)
  pool.end()
})

test("one place is kept for accounts whose runs are short", async () => {
  const { call, running, advance, endOne, endAll, pool } = createHeldTrial(3)
  for (const account of ["a", "b", "c"]) {
    const one = call(account)
    await advance(20)
    await endOne(1_000)
    await one
  }
  const heavy = ["a", "b", "c"].map((account) => call(account))
  await advance(20)
  expect(running()).toEqual(["a", "b"])
  // It waits for too long in this test.
  const third = heavy[2]?.catch((thrown) => thrown)
  const light = call("light")
  await advance(20)
  expect(running()).toEqual(["a", "b", "light"])
  // Not for one that is new, but has run for long already: the next place that is free is for others.
  await advance(101)
  await endOne()
  expect(running()).toEqual(["b", "light"])
  const other = call("other")
  await advance(20)
  expect(running()).toEqual(["b", "light", "other"])
  // After twenty times the length of the long runs all places are theirs, too.
  await advance(20_000)
  expect(await third).toBeInstanceOf(Busy)
  await endAll()
  const all = ["a", "b", "c"].map((account) => call(account))
  await advance(20)
  expect(running()).toEqual(["a", "b", "c"])
  await endAll()
  await Promise.all([heavy[0], heavy[1], light, other, ...all])
  pool.end()
})

const left = new Error("the caller has left")

/** A caller that leaves when the test says so. */
function createLeaving() {
  let hasLeft = false
  return {
    leave: () => {
      hasLeft = true
    },
    requirePresent: () => {
      if (hasLeft) throw left
    },
  }
}

test("a call whose caller has left while it waited is not run", async () => {
  const { call, running, advance, endAll, pool, faults } = createHeldTrial(1)
  const first = call("one")
  const { leave, requirePresent } = createLeaving()
  const second = call("two", { requirePresent }).catch((thrown) => thrown)
  leave()
  await advance(500)
  expect(await second).toBe(left)
  expect(running()).toEqual(["one"])
  await endAll()
  await first
  expect([running(), faults]).toEqual([[], []])
  pool.end()
})

test("a run whose caller has left ends, counts whole, and is no fault of the API", async () => {
  const { call, running, advance, threads, runs, endAll, pool, faults } = createHeldTrial(1)
  const { leave, requirePresent } = createLeaving()
  const first = call("one", { requirePresent }).catch((thrown) => thrown)
  await systemTimer.turn()
  leave()
  await advance(250)
  // A short run ends by itself sooner than another thread is started.
  expect(threads.map(({ isEnded }) => isEnded)).toEqual([false])
  await advance(250)
  expect(await first).toBe(left)
  expect(threads[0]?.isEnded).toBe(true)
  runs.shift()
  const blocker = call("blocker")
  const next = [call("one"), call("two")]
  await systemTimer.turn()
  expect(running()).toEqual(["blocker"])
  runs.shift()?.end()
  await systemTimer.turn()
  expect(running()).toEqual(["two"])
  await endAll()
  await Promise.all([blocker, ...next])
  expect(faults).toEqual([])
  pool.end()
})

test("a call that has waited for ten seconds is refused, with the time to try again", async () => {
  const { call, running, advance, endAll, pool } = createHeldTrial(1)
  const first = call("one")
  let refusal: unknown
  const second = call("two").catch((thrown) => {
    refusal = thrown
  })
  await advance(9_999)
  expect(refusal).toBeUndefined()
  await advance(251)
  await second
  expect(refusal).toBeInstanceOf(Busy)
  expect(refusal).toMatchObject({ retryAfterSeconds: 10 })
  // A run itself has another limit.
  expect(running()).toEqual(["one"])
  await endAll()
  await first
  pool.end()
})

test("a run that waits for answers leaves its place to others, and goes on when it has one again", async () => {
  const { call, runs, running, advance, endOne, endAll, pool } = createHeldTrial(1)
  const asking = call("asks", { asks: true })
  await systemTimer.turn()
  const other = call("other")
  const [first] = runs
  first?.place.leave()
  await advance(20)
  expect(running()).toEqual(["asks", "other"])
  let isBack = false
  const back = Promise.resolve(first?.place.enter()).then(() => {
    isBack = true
  })
  await systemTimer.turn()
  expect(isBack).toBe(false)
  runs.reverse()
  await endOne()
  await back
  expect(isBack).toBe(true)
  await endAll()
  await Promise.all([asking, other])
  pool.end()
})

test("two answers of a run that wait for its place both go on when it has it", async () => {
  const { call, runs, advance, endAll, pool } = createHeldTrial(1)
  const asking = call("one", { asks: true })
  await advance(20)
  runs[0]?.place.leave()
  const other = call("two")
  await advance(20)
  const entered: string[] = []
  void runs[0]?.place.enter()?.then(() => entered.push("first answer"))
  // The run asks on while its first answer waits.
  runs[0]?.place.leave()
  void runs[0]?.place.enter()?.then(() => entered.push("second answer"))
  runs[1]?.end()
  await advance(20)
  expect(entered).toEqual(["first answer", "second answer"])
  await endAll()
  await Promise.all([asking, other])
  pool.end()
})

test("runs that wait for answers have a limit, of which each account has as many as are free", async () => {
  const { call, runs, running, advance, endAll, pool } = createHeldTrial(2)
  const all = ["one", "one", "one", "two", "two", "three"].map((account) => call(account, { asks: true }))
  for (let calls = 0; calls < 6; calls++) {
    for (const { place } of runs) place.leave()
    await advance(20)
  }
  expect(running()).toEqual(["one", "two", "three"])
  // They hold up no run that asks nobody.
  const other = call("three")
  await advance(20)
  expect(running()).toEqual(["one", "two", "three", "three"])
  await endAll()
  await Promise.all([...all, other])
  pool.end()
})
