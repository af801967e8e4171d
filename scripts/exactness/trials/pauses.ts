import type { Finding } from "../../findings.ts"
import { createCustomers } from "../books.ts"
import { type Cluster, openCluster, openPair, startInstances } from "../cluster.ts"
import { type Fault, type FaultResult, reportFaults, spread, tryFault } from "../faults.ts"
import { startProxy } from "../instance.ts"
import { type Customer, mixedCalls, startTraffic } from "../traffic.ts"
import type { Lab, Trial } from "../trial.ts"

const pausedMs = 5_000
/**
 * Calls are made for so long before the first pause. The first calls of a fresh process, 124 at once, took up to 298 ms on two
 * cores: one that began that long before the pause got its 503 after 800 ms, of which the database was asked for 500.
 */
const warmUpMs = 3_000

export const instancePauses: Trial = pauses(
  "instance-pauses",
  "SIGSTOP of one of two instances for five seconds under load",
  async (lab) => {
    const cluster = await openCluster(lab, 2)
    const [first] = cluster.instances
    return { ...cluster, paused: first, stopped: [0], unaffected: [1] }
  },
)

export const databasePauses: Trial = pauses(
  "database-pauses",
  "SIGSTOP of PostgreSQL for five seconds under the load of two instances",
  async (lab) => {
    const cluster = await openCluster(lab, 2)
    return { ...cluster, paused: cluster.server, stopped: [], unaffected: [] }
  },
)

export const proxyPauses: Trial = pauses(
  "proxy-pauses",
  "SIGSTOP for five seconds of a proxy between one of two instances and PostgreSQL",
  async (lab) => {
    const { server, instances } = await openCluster(lab, 1)
    const proxy = await startProxy(server.port)
    lab.cleanUp(() => proxy.kill())
    const behind = await startInstances(lab, server.url.replace(`:${server.port}/`, `:${proxy.port}/`), 1)
    return { server, instances: [...instances, ...behind], paused: proxy, stopped: [], unaffected: [0] }
  },
)

export const standbyPauses: Trial = pauses(
  "standby-pauses",
  "SIGSTOP of the synchronous standby for five seconds under the load of two instances",
  async (lab) => {
    const [primary, standby] = await openPair(lab, lab.directory)
    const instances = await startInstances(lab, primary.url, 2)
    return {
      server: primary,
      instances,
      paused: standby,
      customers: 60,
      stopped: [],
      unaffected: [],
      commitsWait: true,
    }
  },
)

interface PausedInstances
  extends Cluster,
    Pick<Fault, "stopped" | "unaffected">,
    Partial<Pick<Fault, "commitsWait">> {
  readonly paused: { pause(): void; resume(): void } | undefined
  /** A charge whose commit waits holds back the others of its account, so that few customers would hide the other calls. */
  readonly customers?: number
}

async function warmUp(
  instances: PausedInstances["instances"],
  customers: readonly Customer[],
): Promise<void> {
  const traffic = startTraffic({
    instances: instances.map(({ url }) => url),
    customers,
    requests: mixedCalls,
  })
  await Bun.sleep(warmUpMs)
  await traffic.stop()
}

function pauses(name: string, title: string, open: (lab: Lab) => Promise<PausedInstances>): Trial {
  return {
    name,
    title,
    rounds: 3,
    async run(lab): Promise<readonly Finding[]> {
      const { server, instances, paused, stopped, unaffected, ...rest } = await open(lab)
      const { customers: number = 6, commitsWait = false } = rest
      const customers = await createCustomers(server.url, number, "ample")
      await warmUp(instances, spread(customers))
      const results: FaultResult[] = []
      for (let round = 0; round < lab.rounds; round++) {
        const result = await tryFault({
          instances,
          customers: spread(customers),
          books: { before: server.url, after: () => server.url },
          marginMs: 300 + (round % 17),
          fault: {
            begin: () => paused?.pause(),
            lastsMs: pausedMs,
            end: () => paused?.resume(),
            stopped,
            unaffected,
            commitsWait,
          },
        })
        lab.say(
          `round ${round + 1}: ${result.booked} booked, ${result.uncertain} uncertain, ${result.booked - result.answered} of these booked`,
        )
        const latest = Math.max(0, ...result.unknownAfterMs)
        if (latest > 0)
          lab.say(`calls that "may have been charged" began up to ${Math.round(latest)} ms after the pause`)
        results.push(result)
      }
      return reportFaults(results)
    },
  }
}
