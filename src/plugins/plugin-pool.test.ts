import { expect, test } from "bun:test"
import { createManualTimer } from "../../test/support/timer.ts"
import { systemClock } from "../ports/clock.ts"
import { createMockDns } from "../ports/mock/dns.ts"
import { createSeededRandom } from "../ports/mock/random.ts"
import { createPluginPool } from "./plugin-pool.ts"
import type { PluginWorker } from "./plugin-worker.ts"

const timer = createManualTimer()
const ports = { clock: systemClock, random: createSeededRandom("a"), dns: createMockDns({}), timer }

/** A thread whose runs give its number. */
function createThread(number: number) {
  const thread = { number, isWorn: false, isEnded: false }
  const worker: PluginWorker = {
    run: async () => ({ number }),
    isUsable: () => !thread.isWorn,
    end() {
      thread.isEnded = true
    },
  }
  return { thread, worker }
}

test("a thread that can run no more while it waits for a call is ended, and another one runs the call", async () => {
  const threads = [createThread(0)]
  const [first] = threads
  if (!first) throw new Error("there is a first thread")
  const pool = createPluginPool(first.worker, {
    ...{ clock: systemClock, timer, maxWorkers: 1, limitMs: 1_000, maxOutputLength: 100 },
    async start() {
      const next = createThread(threads.length)
      threads.push(next)
      return next.worker
    },
    checkOutput: (output) => output as Record<string, unknown>,
    onFault() {},
  })
  const numbers: unknown[] = []
  for (let call = 0; call < 5; call++) {
    numbers.push((await pool.run({}, ports, "account")).number)
    // Something that the call left behind fails.
    const last = threads.at(-1)
    if (last) last.thread.isWorn = true
  }
  expect(numbers).toEqual([0, 1, 2, 3, 4])
  expect(threads.map(({ thread }) => thread.isEnded)).toEqual([true, true, true, true, false])
  pool.end()
  expect(threads.at(-1)?.thread.isEnded).toBe(true)
})
