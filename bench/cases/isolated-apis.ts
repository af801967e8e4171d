import type { ApiDefinition, RunContext } from "../../src/apis/contract.ts"
import { isolatedRuns } from "../../src/apis/isolated-runs.ts"
import { createLazyThreads } from "../../src/app/lazy-threads.ts"
import { catalog } from "../../src/app/prepare.ts"
import type { Config } from "../../src/config/load.ts"
import { createThreadTime } from "../../src/plugins/thread-time.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { portsFor } from "../../test/support/zone-ports.ts"
import type { Case } from "../case.ts"
import { toFinding } from "../compare.ts"

const clientCounts = [1, 16]
/** In its threads an isolated API must make at least half as many runs a second as its library in this process. */
const goal = { atLeast: 0.5 }

/** Runs of each isolated API in its threads, beside the same code in this process, which holds up all other work meanwhile. */
export const isolatedApis: Case = {
  name: "isolated-apis",
  title: "Runs a second of isolated APIs: in threads ÷ in this process",
  onRequest: true,
  async run(bench) {
    const threads = createLazyThreads(systemClock, systemTimer, createThreadTime(systemClock))
    const limits = { apiWorkers: 8, apiMemoryBytes: 268_435_456 } as Config
    const findings = []
    try {
      for (const api of catalog.filter(({ isolated }) => isolated)) {
        bench.say(api.id)
        const inThreads = threads.isolate(api, limits)
        const inProcess = await withoutThread(api)
        for (const clients of clientCounts) {
          const rounds: { threads: number; process: number }[] = []
          // The first round warms both up.
          for (let round = 0; round <= bench.rounds; round++)
            rounds.push({
              threads: await runsPerSecond(inThreads, clients, bench.seconds),
              process: await runsPerSecond(inProcess, clients, bench.seconds),
            })
          const counted = rounds.slice(1)
          const title = `${api.id}, ${clients === 1 ? "1 client" : `${clients} clients`}`
          findings.push(
            toFinding(
              `${title}: in threads`,
              counted.map((round) => round.threads),
              null,
            ),
            toFinding(
              `${title}: in threads ÷ in this process`,
              counted.map((round) => round.threads / round.process),
              goal,
            ),
          )
        }
      }
    } finally {
      threads.end()
    }
    return {
      rows: [],
      findings,
      notes: [
        "Each run has the input of the API's first example. Small, bounded ones take place in the service.",
      ],
    }
  },
}

/** The API with a run that takes place in this process. */
async function withoutThread(api: ApiDefinition): Promise<ApiDefinition> {
  const code = await isolatedRuns[api.id]?.()
  if (!code) throw new Error(`'${api.id}' is not among the isolated APIs`)
  const { prepare } = api.isolated ?? {}
  if (!prepare) return { ...api, ...code }
  return { ...api, run: async (input, context) => code.run(await prepare(input), context) }
}

/** Each client runs the first example again as soon as it has its answer. */
async function runsPerSecond(api: ApiDefinition, clients: number, seconds: number): Promise<number> {
  const [example] = api.examples
  if (!example) throw new Error(`'${api.id}' has no example`)
  const ports = portsFor(example)
  const startedMs = performance.now()
  let runs = 0
  const work = async (client: number) => {
    // Accounts share the threads: one alone would have half of them.
    const context: RunContext = { ports, giveWay: () => undefined, premium: true, account: `bench ${client}` }
    while (performance.now() - startedMs < seconds * 1_000) {
      await api.run(example.input, context)
      runs++
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)))
  return (runs * 1_000) / (performance.now() - startedMs)
}
