import { createCustomers } from "../books.ts"
import { openCluster } from "../cluster.ts"
import { type FaultResult, reportFaults, spread, tryFault } from "../faults.ts"
import type { Trial } from "../trial.ts"

export const databaseKills: Trial = {
  name: "database-kills",
  title: "kill -9 of PostgreSQL under the load of two instances, and its start again",
  rounds: 20,
  async run(lab) {
    const { server, instances } = await openCluster(lab, 2)
    const customers = await createCustomers(server.url, 6, "ample")
    const results: FaultResult[] = []
    for (let round = 0; round < lab.rounds; round++) {
      const result = await tryFault({
        instances,
        customers: spread(customers),
        books: { before: server.url, after: () => server.url },
        marginMs: 200 + (round % 17),
        fault: {
          begin: () => server.kill(),
          lastsMs: 100 * (round % 5),
          end: () => server.start(),
          commitsWait: false,
          stopped: [],
          unaffected: [],
        },
      })
      lab.say(
        `round ${round + 1}: ${result.booked} booked, back after ${Math.max(...result.recoveryMs).toFixed(0)} ms`,
      )
      results.push(result)
    }
    return reportFaults(results)
  },
}
