/** The threads of a pool: which are started, which end, and what their faults mean. */
import { expect, test } from "bun:test"
import { createHeldTrial, limits, ports } from "../../test/support/held-pool.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import { ApiMistake, type Timer } from "../apis/contract.ts"
import { systemClock } from "../ports/clock.ts"
import { systemTimer } from "../ports/timer.ts"
import { createPluginPool } from "./plugin-pool.ts"
import type { PluginWorker } from "./plugin-worker.ts"
import { createThreadTime } from "./thread-time.ts"

const timer = createManualTimer()

/** A thread whose runs give its number, or fail. */
function createThread(number: number) {
  const thread = { number, isWorn: false, isEnded: false, isBroken: false }
  const worker: PluginWorker = {
    async run() {
      if (thread.isBroken) throw new ApiMistake("broken")
      return { number }
    },
    usedMs: () => null,
    computedMs: () => 0,
    isUsable: () => !thread.isWorn,
    end(tell) {
      thread.isEnded = true
      tell?.()
    },
  }
  return { thread, worker }
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
  expect([first.isEnded, await call()]).toEqual([true, 1])
})

test("an account whose calls fail keeps the API from no other one", async () => {
  const { pool, threads } = createTrial()
  const call = async (account: string) => {
    for (const thread of threads) thread.isBroken = account === "bad"
    return pool.run({}, { ports, premium: true }, { account }, limits).then(
      () => "done",
      ({ message }) => message,
    )
  }
  for (let fault = 0; fault < 5; fault++) expect(await call("bad")).toBe("broken")
  expect(await call("good")).toBe("done")
  expect(await call("bad")).toStartWith("The API failed several times in a row.")
})

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
    ...{ usedMs: () => null, computedMs: () => 0, isUsable: () => true, end: (tell) => tell?.() },
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

test("a call that waits for a thread which cannot be started fails with the cause, and not after ten seconds", async () => {
  const timer = createManualTimer()
  const starts: PromiseWithResolvers<PluginWorker>[] = []
  const first = createThread(0)
  const pool = createPluginPool(first.worker, {
    ...{ clock: systemClock, timer, time: createThreadTime(systemClock) },
    start() {
      const begun = Promise.withResolvers<PluginWorker>()
      starts.push(begun)
      return begun.promise
    },
    checkOutput: (output) => output as Record<string, unknown>,
    onFault() {},
  })
  const call = () => pool.run({}, { ports, premium: true }, { account: "account" }, limits)
  const fail = async (place: number) => {
    starts[place]?.reject(new Error("its file was changed"))
    for (let turns = 0; turns < 10; turns++) await systemTimer.turn()
  }
  first.thread.isBroken = true
  for (let times = 0; times < 2; times++) await expect(call()).rejects.toThrow("broken")
  // One is started for whoever comes, and after a while another one for the call.
  expect(starts).toHaveLength(1)
  const outcome = call().catch(({ message }) => message)
  timer.advance(20)
  expect(starts).toHaveLength(2)
  await fail(1)
  await fail(0)
  expect(starts).toHaveLength(3)
  await fail(2)
  expect(await outcome).toBe("no thread can be started for it: its file was changed")
})

test("a call waits a little for a thread that becomes free before another one is started for it", async () => {
  const { threads, runs, call, advance, endAll } = createHeldTrial(4)
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
  expect([runs.length, threads.length]).toEqual([3, 3])
  await endAll()
  expect((await Promise.all(long)).toSorted()).toEqual([0, 1, 2])
})

test("no more threads are started than accounts may use", async () => {
  const { threads, runs, call, advance, endAll } = createHeldTrial(4)
  const many = Array.from({ length: 10 }, () => call("one"))
  await advance(20)
  expect([threads.length, runs.length]).toEqual([2, 2])
  const other = call("two")
  await advance(20)
  expect([threads.length, runs.length]).toEqual([3, 3])
  await endAll()
  await Promise.all([...many, other])
  expect(threads.length).toBe(3)
})

test.each([true, false])(
  "of several threads, one that nobody uses for five seconds ends (%p)",
  async (keepsOne) => {
    const { threads, call, advance, runs, endAll } = createHeldTrial(4, { keepsOne })
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

test("of the threads that have nothing to do, one fewer stays than there are places", async () => {
  const { call, runs, threads, advance, endOne } = createHeldTrial(3)
  const calls = ["one", "two", "three", "four"].map((account) => call(account, { asks: true }))
  // A run that waits for answers leaves its place, so that a fourth thread starts.
  for (let turns = 0; turns < 3; turns++) await advance(20)
  runs[0]?.place.leave()
  await advance(20)
  expect([runs.length, threads.length]).toEqual([4, 4])
  for (let ended = 0; ended < 4; ended++) await endOne()
  expect(threads.filter(({ isEnded }) => !isEnded)).toHaveLength(2)
  await Promise.all(calls)
})
