import { createCustomers, readBooks, sum } from "../books.ts"
import { type Cluster, openCluster } from "../cluster.ts"
import { command } from "../command.ts"
import { prepareFailures } from "../failures.ts"
import { type Call, type Customer, mixedCalls, singleCalls, startTraffic } from "../traffic.ts"
import { count, type Lab, none, type Trial } from "../trial.ts"

/** The credits of the plan `scarce`. */
const monthly = 300
const grants = 6
const granted = 20
const clients = 12

export const races: Trial = {
  name: "races",
  title:
    "two instances and commands race for the last credits of an account: REST, batches and GraphQL mixed",
  rounds: 20,
  async run(lab) {
    const cluster = await openCluster(lab, 2)
    const sayFailures = prepareFailures(lab, cluster.instances)
    const results: Awaited<ReturnType<typeof race>>[] = []
    for (let round = 0; round < lab.rounds; round++) {
      const result = await race(lab, cluster)
      lab.say(
        `round ${round + 1}: ${result.answered} answered, ${result.booked} booked of ${result.available}`,
      )
      sayFailures(result.others)
      results.push(result)
    }
    const isExact = ({ answered, booked, available }: (typeof results)[number]) =>
      answered === available && booked === available
    return [
      count("races", results.length),
      count("credits raced for", sum(results.map(({ available }) => available))),
      count("credits answered", sum(results.map(({ answered }) => answered))),
      count("credits booked", sum(results.map(({ booked }) => booked))),
      count("calls refused", sum(results.map(({ refused }) => refused))),
      none("races that were not exact to the credit", results.filter((result) => !isExact(result)).length),
      none(
        "answers that are neither a success nor a refusal",
        sum(results.map(({ others }) => others.length)),
      ),
    ]
  },
}

/** Calls run all the time while commands grant credits a few at a time; then what is left is used up. */
async function race(lab: Lab, { server, instances }: Cluster) {
  const [customer] = await createCustomers(server.url, 1, "scarce")
  if (!customer) throw new Error("one account is needed")
  const customers: Customer[] = Array(clients).fill(customer)
  const mixed = startTraffic({ instances, customers, requests: mixedCalls })
  const give = () => command(lab, server.url, ["account", "grant", customer.id, String(granted)])
  for (let grant = 0; grant < grants; grant += 2) await Promise.all([give(), give()])
  await mixed.stop()
  const isLast = ({ status }: Call) => status !== 200
  const rest = startTraffic({ instances, customers, requests: singleCalls, isLast })
  await rest.ended
  const calls = [...mixed.calls, ...rest.calls]
  const isRefusal = ({ status }: Call) => status === 429 || status === 402
  return {
    available: monthly + grants * granted,
    answered: sum(calls.map(({ credits }) => credits)),
    booked: (await readBooks(server.url)).get(customer.id) ?? 0,
    refused: calls.filter(isRefusal).length,
    others: calls.filter((call) => call.status !== 200 && !isRefusal(call)),
  }
}
