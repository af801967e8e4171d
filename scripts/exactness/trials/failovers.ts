import { join } from "node:path"
import { createCustomers } from "../books.ts"
import { openPair, startInstances } from "../cluster.ts"
import { type FaultResult, reportFaults, spread, tryFault } from "../faults.ts"
import type { Lab, Trial } from "../trial.ts"

export const failovers: Trial = {
  name: "failovers",
  title: "kill -9 of the primary under the load of two instances, and promotion of its synchronous standby",
  rounds: 3,
  async run(lab) {
    const results: FaultResult[] = []
    for (let round = 0; round < lab.rounds; round++) {
      const result = await failOver(lab, join(lab.directory, `pair-${round}`))
      lab.say(
        `round ${round + 1}: ${result.booked} booked, back after ${Math.max(...result.recoveryMs).toFixed(0)} ms`,
      )
      results.push(result)
    }
    return reportFaults(results)
  },
}

async function failOver(lab: Lab, directory: string): Promise<FaultResult> {
  const [primary, standby] = await openPair(lab, directory)
  const db = primary.url.replace(/@([^/]+)\//, `@$1,127.0.0.1:${standby.port}/`)
  const instances = await startInstances(lab, db, 2)
  const customers = await createCustomers(primary.url, 6, "ample")
  return tryFault({
    instances,
    customers: spread(customers),
    books: { before: primary.url, after: () => standby.url },
    marginMs: 300,
    fault: {
      begin: () => primary.kill(),
      lastsMs: 500,
      end: () => standby.promote(),
      commitsWait: false,
      stopped: [],
      unaffected: [],
    },
  })
}
