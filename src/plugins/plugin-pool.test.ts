import { expect, test } from "bun:test"
import { createManualTimer } from "../../test/support/timer.ts"
import { ApiMistake } from "../apis/contract.ts"
import { systemClock } from "../ports/clock.ts"
import { createMockDns, createSeededRandom } from "../ports/mock-ports.ts"
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
function createTrial() {
  const first = createThread(0)
  const threads = [first.thread]
  const pool = createPluginPool(first.worker, {
    ...{ clock: systemClock, timer },
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
