import { join } from "node:path"
import { createCustomers } from "../books.ts"
import { openCluster, openPair, startInstances } from "../cluster.ts"
import type { DatabaseServer } from "../database.ts"
import { prepareFailures, type SayFailures } from "../failures.ts"
import { type Fault, type FaultResult, reportFaults, spread, tryFault } from "../faults.ts"
import { type Instance, startProxy } from "../instance.ts"
import { type Customer, mixedCalls, startTraffic } from "../traffic.ts"
import type { Lab, Trial } from "../trial.ts"

const pausedMs = 5_000
/**
 * Calls are made for so long before the first fault. The first calls of a fresh process, 124 at once, took up to 298 ms on two
 * cores: one that began that long before a pause got its 503 after 800 ms, of which the database was asked for 500.
 */
const warmUpMs = 3_000

/** Instances on a database, all running, and what happens to them in each round. */
interface Scene {
  readonly instances: readonly Instance[]
  readonly server: DatabaseServer
  /** Has the charges after the fault; the same server if left out. */
  readonly later?: DatabaseServer
  /** A charge whose commit waits holds back the others of its account, so that few customers would hide the other calls. */
  readonly customers?: number
  fault(round: number): Fault
}

/** The trials in which a process of a cluster is killed or stopped under load. */
export const faults: readonly Trial[] = [
  trialOf("instance-kills", "kill -9 of one of two instances under load, and its start again", 100, {
    // At another moment of a batch each time.
    marginMs: 40,
    async open(lab) {
      const cluster = await openCluster(lab, 2)
      const fault = (round: number): Fault => ({
        begin: () => cluster.instances[round % 2]?.kill(),
        lastsMs: 0,
        end: () => cluster.instances[round % 2]?.start(),
        stopped: [round % 2],
        unaffected: [1 - (round % 2)],
      })
      return { ...cluster, fault }
    },
  }),
  trialOf(
    "database-kills",
    "kill -9 of PostgreSQL under the load of two instances, and its start again",
    20,
    {
      async open(lab) {
        const cluster = await openCluster(lab, 2)
        const { server } = cluster
        const fault = (round: number): Fault => ({
          begin: () => server.kill(),
          lastsMs: 100 * (round % 5),
          end: () => server.start(),
        })
        return { ...cluster, fault }
      },
    },
  ),
  trialOf("instance-pauses", "SIGSTOP of one of two instances for five seconds under load", 3, {
    async open(lab) {
      const cluster = await openCluster(lab, 2)
      return { ...cluster, fault: () => pauseOf(cluster.instances[0], { stopped: [0], unaffected: [1] }) }
    },
  }),
  trialOf("database-pauses", "SIGSTOP of PostgreSQL for five seconds under the load of two instances", 3, {
    async open(lab) {
      const cluster = await openCluster(lab, 2)
      return { ...cluster, fault: () => pauseOf(cluster.server, {}) }
    },
  }),
  trialOf(
    "proxy-pauses",
    "SIGSTOP for five seconds of a proxy between one of two instances and PostgreSQL",
    3,
    {
      async open(lab) {
        const { server, instances } = await openCluster(lab, 1)
        const proxy = await startProxy(server.port)
        lab.cleanUp(() => proxy.kill())
        const behind = await startInstances(lab, server.url.replace(`:${server.port}/`, `:${proxy.port}/`), 1)
        const fault = () => pauseOf(proxy, { unaffected: [0] })
        return { server, instances: [...instances, ...behind], fault }
      },
    },
  ),
  trialOf(
    "standby-pauses",
    "SIGSTOP of the synchronous standby for five seconds under the load of two instances",
    3,
    {
      async open(lab) {
        const [server, standby] = await openPair(lab, lab.directory)
        const instances = await startInstances(lab, server.url, 2)
        return { server, instances, customers: 60, fault: () => pauseOf(standby, { commitsWait: true }) }
      },
    },
  ),
  trialOf(
    "failovers",
    "kill -9 of the primary under the load of two instances, and promotion of its synchronous standby",
    3,
    {
      isNewEachRound: true,
      async open(lab, round) {
        const [server, later] = await openPair(lab, join(lab.directory, `pair-${round}`))
        const db = server.url.replace(/@([^/]+)\//, `@$1,127.0.0.1:${later.port}/`)
        const instances = await startInstances(lab, db, 2)
        const fault = () => ({ begin: () => server.kill(), lastsMs: 500, end: () => later.promote() })
        return { server, later, instances, fault }
      },
    },
  ),
]

const pauseOf = (
  paused: { pause(): void; resume(): void } | undefined,
  rest: Pick<Fault, "stopped" | "unaffected" | "commitsWait">,
): Fault => ({ begin: () => paused?.pause(), lastsMs: pausedMs, end: () => paused?.resume(), ...rest })

interface Options {
  open(lab: Lab, round: number): Promise<Scene>
  /** Calls are made for about so long before and after each fault. */
  readonly marginMs?: number
  /** Whether a fault leaves nothing that another round could use. */
  readonly isNewEachRound?: boolean
}

function trialOf(name: string, title: string, rounds: number, options: Options): Trial {
  const { open, marginMs = 300, isNewEachRound = false } = options
  return {
    name,
    title,
    rounds,
    async run(lab) {
      const results: FaultResult[] = []
      let current: { scene: Scene; customers: readonly Customer[]; sayFailures: SayFailures } | null = null
      for (let round = 0; round < lab.rounds; round++) {
        if (current === null || isNewEachRound) current = await prepare(lab, await open(lab, round))
        const { scene, customers, sayFailures } = current
        const { instances, server, later = server } = scene
        const result = await tryFault({
          ...{ instances, customers, fault: scene.fault(round), marginMs: marginMs + (round % 17) },
          books: { before: server.url, after: () => later.url },
        })
        lab.say(
          `round ${round + 1}: ${result.booked} booked, ${result.uncertain} uncertain, back after ${Math.max(...result.recoveryMs).toFixed(0)} ms`,
        )
        sayFailures(result.failuresOfOthers)
        results.push(result)
      }
      return reportFaults(results)
    },
  }
}

async function prepare(lab: Lab, scene: Scene) {
  const { instances, server } = scene
  const customers = spread(await createCustomers(server.url, scene.customers ?? 6, "ample"))
  const traffic = startTraffic({ instances, customers, requests: mixedCalls })
  await Bun.sleep(warmUpMs)
  await traffic.stop()
  return { scene, customers, sayFailures: prepareFailures(lab, instances) }
}
