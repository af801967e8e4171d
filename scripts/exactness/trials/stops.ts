import { join } from "node:path"
import type { Finding } from "../../findings.ts"
import { chargeFindings, compare, createCustomers, readBooks, sum } from "../books.ts"
import { createServer } from "../database.ts"
import { createInstance, type Instance } from "../instance.ts"
import { childrenOf, signalAll } from "../processes.ts"
import { batchOf, mixedCalls, startTraffic } from "../traffic.ts"
import { count, type Lab, type Trial } from "../trial.ts"

/** Batches of 20, so that a stop meets some in progress. */
const requests = [...mixedCalls, batchOf(20)]
const drainMs = 1_000
const pauseMs = 1_500

export const stops: Trial = {
  name: "stops",
  title:
    "SIGTERM, kill -9 while it drains, and SIGSTOP of a service under load, with one process and with two workers",
  rounds: 10,
  async run(lab) {
    const server = await createServer(join(lab.directory, "database"))
    await server.start()
    lab.cleanUp(() => server.stop())
    const findings: Finding[] = []
    for (const db of [join(lab.directory, "penknife.db"), server.url])
      for (const workers of [1, 2]) findings.push(...(await stopUnderLoad(lab, db, workers)))
    return findings
  },
}

/** Events of a service. Each ends with a service that runs. */
const faults: Readonly<Record<string, (instance: Instance, round: number) => Promise<void>>> = {
  async SIGTERM(instance) {
    await instance.stop()
    await instance.start()
  },
  async "kill -9 while it drains"(instance, round) {
    const stopped = instance.stop()
    await Bun.sleep((drainMs * (round % 10)) / 10)
    for (const pid of [instance.pid, ...childrenOf(instance.pid)]) signalAll([pid], "SIGKILL")
    await stopped
    await instance.start()
  },
  async "SIGSTOP and SIGCONT"(instance) {
    const pids = [instance.pid, ...childrenOf(instance.pid)]
    signalAll(pids, "SIGSTOP")
    await Bun.sleep(pauseMs)
    signalAll(pids, "SIGCONT")
  },
}

async function stopUnderLoad(lab: Lab, db: string, workers: number): Promise<readonly Finding[]> {
  const flags = ["--workers", String(workers), "--drain", String(drainMs / 1_000)]
  const instance = await createInstance({ ...lab, db, flags })
  const customers = await createCustomers(db, 6, "ample")
  await instance.start()
  lab.cleanUp(() => instance.kill())
  const where = `${db.startsWith("postgres") ? "PostgreSQL" : "a data file"}, ${workers === 1 ? "one process" : "two workers"}`
  const findings: Finding[] = []
  for (const [name, fault] of Object.entries(faults)) {
    const results: ReturnType<typeof compare>[] = []
    let broken = 0
    for (let round = 0; round < lab.rounds; round++) {
      const before = await readBooks(db)
      const twice = [...customers, ...customers]
      const traffic = startTraffic({ instances: [instance], customers: twice, requests })
      await Bun.sleep(200 + 13 * (round % 17))
      await fault(instance, round)
      await traffic.successAfter(0, performance.now())
      await traffic.stop()
      results.push(compare(traffic.calls, before, await readBooks(db), Number.POSITIVE_INFINITY))
      broken += traffic.calls.filter(({ status, isUncertain }) => status === null && isUncertain).length
    }
    const total = (what: "answered" | "booked" | "uncertain") => sum(results.map((result) => result[what]))
    const title = `${where}, ${name}`
    lab.say(`${title}: ${total("answered")} answered, ${total("uncertain")} under way`)
    findings.push(
      count(`${title}: credits answered`, total("answered")),
      count(`${title}: credits booked`, total("booked")),
      count(`${title}: calls whose connection broke`, broken),
      ...chargeFindings(results, `${title}: `),
    )
  }
  await instance.stop()
  return findings
}
