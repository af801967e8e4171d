import { createCustomers } from "../books.ts"
import { openCluster } from "../cluster.ts"
import { prepareFailures } from "../failures.ts"
import { type FaultResult, reportFaults, spread, tryFault } from "../faults.ts"
import type { Trial } from "../trial.ts"

export const instanceKills: Trial = {
  name: "instance-kills",
  title: "kill -9 of one of two instances under load, and its start again",
  rounds: 100,
  async run(lab) {
    const { server, instances } = await openCluster(lab, 2)
    const customers = await createCustomers(server.url, 6, "ample")
    const sayFailures = prepareFailures(lab, instances)
    const results: FaultResult[] = []
    for (let round = 0; round < lab.rounds; round++) {
      const number = round % 2
      const killed = instances[number]
      if (!killed) continue
      const result = await tryFault({
        instances,
        customers: spread(customers),
        books: { before: server.url, after: () => server.url },
        // At another moment of a batch each time.
        marginMs: 40 + (round % 17),
        fault: {
          begin: () => killed.kill(),
          lastsMs: 0,
          end: () => killed.start(),
          commitsWait: false,
          stopped: [number],
          unaffected: [1 - number],
        },
      })
      lab.say(`round ${round + 1}: ${result.booked} booked`)
      sayFailures(result.failuresOfOthers)
      results.push(result)
    }
    return reportFaults(results)
  },
}
