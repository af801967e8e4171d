import type { ApiDefinition, Clock, Timer } from "../apis/contract.ts"
import type { Config } from "../config/load.ts"
import type { IsolatedThreads } from "../plugins/isolated-threads.ts"
import type { ThreadTime } from "../plugins/thread-time.ts"
import type { Log } from "../ports/log.ts"
import { readMemoryUse } from "../ports/machine.ts"
import { withMember } from "../values/frozen.ts"
import { once } from "../values/once.ts"

/** The threads of isolated APIs, which are loaded with the first call of one. */
export type LazyThreads = ReturnType<typeof createLazyThreads>

/** Makes the threads of a process. */
export function createLazyThreads(
  clock: Clock,
  timer: Timer,
  time: ThreadTime,
  log: Pick<Log, "error"> | null = null,
) {
  let threads: Promise<IsolatedThreads> | null = null
  const open = once(() => {
    threads = load()
    return threads
  })

  async function load(): Promise<IsolatedThreads> {
    const [{ createIsolatedThreads }, { createMemoryWatch }] = await Promise.all([
      import("../plugins/isolated-threads.ts"),
      import("../plugins/memory-watch.ts"),
    ])
    const use = readMemoryUse()
    return createIsolatedThreads({
      ...{ clock, timer, time, memory: use && createMemoryWatch(use, timer) },
      onUncaught: (cause) => log?.error("isolated API failed outside of a call", { cause }),
    })
  }

  return {
    /** Lets an isolated API run in a thread; any other one stays as it is. */
    isolate(api: ApiDefinition, { apiWorkers, apiMemoryBytes }: Config): ApiDefinition {
      const { isolated } = api
      if (!isolated) return api
      // More threads than processors would only take them from the service. One more is for accounts whose runs are short.
      const maxWorkers = Math.min(apiWorkers, Math.max(2, navigator.hardwareConcurrency) + 1)
      const limits = { maxWorkers, maxMemoryBytes: apiMemoryBytes }
      const inThreads = once(async () => (await open()).isolate(api, isolated, limits))
      return withMember(api, "run", async (input, context) => (await inThreads()).run(input, context))
    },
    end() {
      // Without threads there are none to end; the calls that wanted them have failed.
      threads?.then((opened) => opened.end()).catch(() => {})
    },
  }
}
