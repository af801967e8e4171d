import type { ApiDefinition, Clock, Isolation, Timer } from "../apis/contract.ts"
import { isolatedRuns, maxAskingMs } from "../apis/isolated-runs.ts"
import { withMember } from "../values/frozen.ts"
import type { MemoryWatch } from "./memory-watch.ts"
import { excessOf, toRejection } from "./overrun.ts"
import { toPoolCaller } from "./places.ts"
import { createPluginPool, type PluginPool, type PoolLimits } from "./plugin-pool.ts"
import { startPluginWorker } from "./plugin-worker.ts"
import type { ThreadTime } from "./thread-time.ts"

interface ThreadParts {
  readonly clock: Clock
  readonly timer: Timer
  readonly time: ThreadTime
  /** Null where memory cannot be watched. */
  readonly memory: MemoryWatch | null
  /** Gets what failed in a thread outside of a call. */
  readonly onUncaught: (cause: string) => void
  /** The file with the code of the APIs, for tests; the catalog's file by default. */
  readonly runs?: string
}

const loadLimitMs = 10_000
/** No input within the limits of the catalog takes 170 MB. A run that takes more is ended, as one that takes --api-memory. */
const maxRunBytes = 201_326_592
/** A library keeps itself and small tables. More than this is left over from a large input. */
const maxKeptBytes = 67_108_864
/** Larger answers would hold up the service while it reads them. */
const maxOutputLength = 1_000_000

/** The size of an input, see `sizeLeft`, up to which bounded runs take place in the service, unless the API has its own. */
const usualSmallSize = 300

/** The threads that run the isolated APIs of the catalog. Each can run any of them. */
export type IsolatedThreads = ReturnType<typeof createIsolatedThreads>

/** Makes the threads of a process. The first one starts with the first call. */
export function createIsolatedThreads({ clock, timer, time, memory, onUncaught, runs = "" }: ThreadParts) {
  let pool: Promise<PluginPool> | null = null
  let isEnded = false

  async function start(maxMemoryBytes: number) {
    const source = { file: runs, isIsolated: true }
    const parts = { timer, memory, onUncaught, onSaid() {} }
    return (await startPluginWorker(source, parts, { limitMs: loadLimitMs, maxMemoryBytes })).worker
  }

  async function open(maxMemoryBytes: number): Promise<PluginPool> {
    const first = await start(maxMemoryBytes)
    if (isEnded) first.end()
    return createPluginPool(first, {
      ...{ clock, timer, time },
      start: () => start(maxMemoryBytes),
      checkOutput: (output) => output as Record<string, unknown>,
      onFault() {},
      // One caller's input must not stop the calls of others.
      maxFaults: Number.POSITIVE_INFINITY,
      // A thread with its libraries takes tens of MB, and a new one starts within 5 ms.
      keepsOne: false,
    })
  }

  function poolFor(maxMemoryBytes: number): Promise<PluginPool> {
    pool ??= open(maxMemoryBytes).catch((thrown) => {
      pool = null
      throw thrown
    })
    return pool
  }

  return {
    /** The definition with a run that takes place in a thread, or in the service if it is small and bounded. */
    isolate(
      api: ApiDefinition,
      { limitMs, prepare, isBounded, maxSmallSize = usualSmallSize }: Isolation,
      limits: Pick<PoolLimits, "maxWorkers" | "maxMemoryBytes">,
    ) {
      const maxMemoryBytes = Math.min(limits.maxMemoryBytes, maxRunBytes)
      const all = { ...limits, limitMs, maxOutputLength, maxMemoryBytes, maxKeptBytes, maxAskingMs }
      return withMember(api, "run", async (input, context) => {
        const load =
          isBounded && sizeLeft(input, maxSmallSize) >= 0 && isBounded(input)
            ? isolatedRuns[api.id]
            : undefined
        const prepared = prepare ? await prepare(input) : input
        try {
          if (load) {
            const { run } = await load()
            // To load a library takes up to 30 ms.
            await context.giveWay()
            return await run(prepared, context)
          }
          const threads = await poolFor(limits.maxMemoryBytes)
          return await threads.run(prepared, { ...context, api: api.id }, toPoolCaller(api, context), all)
        } catch (thrown) {
          const excess = excessOf(thrown)
          throw excess ? toRejection(excess, input, all) : thrown
        }
      })
    },
    /** Ends the threads, those that run a call after it. */
    end() {
      isEnded = true
      // Without threads there are none to end; the calls that wanted them have failed.
      pool?.then((threads) => threads.end()).catch(() => {})
    },
  }
}

/**
 * `size` less the number of inner values and the characters of texts and names. Stops soon after the result is below 0.
 */
function sizeLeft(value: unknown, size: number): number {
  if (typeof value === "string") return size - value.length
  if (typeof value !== "object" || value === null) return size
  const isList = Array.isArray(value)
  const names = isList ? [] : Object.keys(value)
  const values: unknown[] = isList ? value : Object.values(value)
  let left = size - values.length
  for (let index = 0; index < values.length && left >= 0; index++)
    left = sizeLeft(values[index], left - (names[index]?.length ?? 0))
  return left
}
