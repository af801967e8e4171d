import { createCustomers, readBooks } from "../books.ts"
import { openCluster } from "../cluster.ts"
import { query } from "../database.ts"
import { killDuringCalls } from "../repeat-kills.ts"
import { count, none, type Trial } from "../trial.ts"

export const repeatKills: Trial = {
  name: "repeat-kills",
  title: "kill -9 of one of two instances on PostgreSQL between two steps of calls with an Idempotency-Key",
  rounds: 300,
  async run(lab) {
    const { server, instances } = await openCluster(lab, 2)
    const [customer] = await createCustomers(server.url, 1, "ample")
    if (!customer) throw new Error("there must be a customer")
    const { key } = customer
    const tried = await killDuringCalls(instances, { key, rounds: lab.rounds, say: lab.say })
    for (const problem of tried.problems) lab.say(problem)
    const booked = (await readBooks(server.url)).get(customer.id) ?? 0
    const [row] = await query<{ kept: number }>(
      server.url,
      "SELECT count(*)::integer AS kept FROM call_replays",
    )
    return [
      none("calls answered wrongly, or charged another number of times than once", tried.problems.length),
      none("credits booked beyond those of each call once", booked - tried.credits),
      none("credits of answered calls that were not booked", tried.credits - booked),
      none("Idempotency-Keys kept beyond one for each call", (row?.kept ?? 0) - tried.calls),
      count("calls, each sent four times", tried.calls),
      count("first answers lost", tried.lost, 1),
      count("of these, calls that were charged", tried.lostWithEffect),
    ]
  },
}
