import { expect, test } from "bun:test"
import { createManualTimer } from "../../test/support/timer.ts"
import { ApiMistake, type Timer } from "../apis/contract.ts"
import { systemClock } from "../ports/clock.ts"
import { createMockDns, createSeededRandom } from "../ports/mock-ports.ts"
import { systemTimer } from "../ports/timer.ts"
import { createPluginPool } from "./plugin-pool.ts"
import type { PluginWorker } from "./plugin-worker.ts"

const timer = createManualTimer()
const ports = { clock: systemClock, random: createSeededRandom("a"), dns: createMockDns({}), timer }

/** A thread whose runs give its number, or fail. */
function createThread(number: number) {
  const thread = { number, isWorn: false, isEnded: false, isBroken: false }
  const worker: PluginWorker = {
    async run() {
      if (thread.isBroken) throw new ApiMistake("broken")
      return { number }
    },
    isUsable: () => !thread.isWorn,
    end() {
      thread.isEnded = true
    },
  }
  return { thread, worker }
}

const limits = { maxWorkers: 1, limitMs: 1_000, maxOutputLength: 100, maxMemoryBytes: 1 << 28 }

/** A pool of one thread at a time. */
function createTrial(options: { readonly timer?: Timer; readonly keepsOne?: boolean } = {}) {
  const first = createThread(0)
  const threads = [first.thread]
  const pool = createPluginPool(first.worker, {
    ...{ clock: systemClock, timer, ...options },
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
    call: async () => (await pool.run({}, { ports, premium: true }, "account", limits)).number,
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

test("a call waits a little for a thread that becomes free before another one is started for it", async () => {
  const time = createManualTimer()
  let started = 0
  /** Ends each run. */
  const ends: (() => void)[] = []
  const start = () => {
    const number = started++
    const run = () => new Promise((resolve) => ends.push(() => resolve({ number })))
    return { run, isUsable: () => true, end() {} }
  }
  const pool = createPluginPool(start(), {
    ...{ clock: systemClock, timer: time },
    start: async () => start(),
    checkOutput: (output) => output as Record<string, unknown>,
    onFault() {},
  })
  const call = async (account: string) =>
    (await pool.run({}, { ports, premium: true }, account, { ...limits, maxWorkers: 4 })).number
  // Calls that take less time than the start of a thread take turns.
  const short = [call("one"), call("two"), call("three")]
  for (let turns = 0; turns < 3; turns++) {
    await systemTimer.turn()
    expect(ends.length).toBe(1)
    ends.shift()?.()
  }
  expect(await Promise.all(short)).toEqual([0, 0, 0])
  expect(started).toBe(1)
  // Others do not wait for a call that takes long.
  const long = [call("one"), call("two"), call("three")]
  time.advance(19)
  await systemTimer.turn()
  expect(ends.length).toBe(1)
  time.advance(1)
  await systemTimer.turn()
  expect(ends.length).toBe(3)
  expect(started).toBe(3)
  for (const end of ends) end()
  expect((await Promise.all(long)).toSorted()).toEqual([0, 1, 2])
  pool.end()
})

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
