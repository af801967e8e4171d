/** A pool of threads that a test holds: it says when a run ends, and how long it took. */
import { onTestFinished } from "bun:test"
import { ApiMistake } from "../../src/apis/contract.ts"
import type { PoolCaller } from "../../src/plugins/places.ts"
import { createPluginPool } from "../../src/plugins/plugin-pool.ts"
import type { CallContext, PluginWorker } from "../../src/plugins/plugin-worker.ts"
import { createThreadTime } from "../../src/plugins/thread-time.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { prepareMockDns } from "../../src/ports/mock-ports.ts"
import { createSeededRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { webOff } from "../../src/ports/web/fixed-web.ts"
import { createManualClock } from "./clock.ts"
import { createManualTimer } from "./timer.ts"

/** The ports of runs that use none of them. */
export const ports = {
  clock: systemClock,
  random: createSeededRandom("a"),
  dns: prepareMockDns({})(),
  web: webOff,
  timer: createManualTimer(),
}

/** The limits of a pool with one place. */
export const limits = {
  maxWorkers: 1,
  limitMs: 1_000,
  maxOutputLength: 100,
  maxMemoryBytes: 1 << 28,
  maxKeptBytes: 1 << 28,
  maxAskingMs: 1_000,
}

interface HeldOptions {
  readonly keepsOne?: boolean
  /** The processor time of each run; null for the time on the clock. */
  readonly usedMs?: number | null
  /** Whether a thread that was ended stays until the test says that it is gone. */
  readonly endsSlowly?: boolean
}

/** A pool whose threads run until the test ends the run. Each call gives the number of its thread. It ends with the test. */
export function createHeldTrial(
  maxWorkers: number,
  { usedMs = null, endsSlowly = false, ...options }: HeldOptions = {},
) {
  const timer = createManualTimer()
  const clock = createManualClock()
  const threads: { isEnded: boolean /** Called when it is gone. */; tell: () => void }[] = []
  /** The oldest first. */
  const runs: { readonly account: unknown; readonly place: CallContext["place"]; end(): void }[] = []
  const start = (): PluginWorker => {
    const thread = { isEnded: false, tell() {} }
    const number = threads.push(thread) - 1
    let fail = (_: Error) => {}
    let beganMs = 0
    return {
      run: (account, { place }) =>
        new Promise((resolve, reject) => {
          fail = reject
          beganMs = clock.monotonicMs()
          runs.push({ account, place, end: () => resolve({ number }) })
        }),
      usedMs: () => usedMs,
      computedMs: () => usedMs ?? clock.monotonicMs() - beganMs,
      isUsable: () => !thread.isEnded,
      end(tell = () => {}) {
        thread.isEnded = true
        fail(new ApiMistake("it was ended"))
        if (endsSlowly) thread.tell = tell
        else tell()
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
  onTestFinished(() => pool.end())
  async function advance(ms: number): Promise<void> {
    clock.advance(ms)
    timer.advance(ms)
    await systemTimer.turn()
  }
  async function call(account: string, caller: Partial<PoolCaller> = {}) {
    const context = { ports, premium: true }
    return (await pool.run(account, context, { account, ...caller }, { ...limits, maxWorkers })).number
  }
  async function endOne(ms = 0): Promise<void> {
    await advance(ms)
    runs.shift()?.end()
    await systemTimer.turn()
  }
  return {
    ...{ runs, threads, faults, advance, call },
    /** The accounts of the present runs. */
    running: () => runs.map(({ account }) => account),
    /** Lets the oldest run take so long, and ends it. */
    endOne,
    /** Runs a call of each account for so long, one after the other. */
    async runEach(accounts: readonly string[], ms: number) {
      for (const account of accounts) {
        const one = call(account)
        await advance(20)
        await endOne(ms)
        await one
      }
    },
    /** Ends the runs, and those that begin then. */
    async endAll() {
      for (; runs.length > 0; await systemTimer.turn()) for (const { end } of runs.splice(0)) end()
    },
  }
}
