import { join } from "node:path"
import type { Finding } from "../../findings.ts"
import { createCustomers, readBooks } from "../books.ts"
import { openCluster, startInstances } from "../cluster.ts"
import type { Instance } from "../instance.ts"
import { killDuringCalls } from "../repeat-kills.ts"
import { count, type Lab, none, type Trial } from "../trial.ts"

export const repeatKillsFile: Trial = {
  name: "repeat-kills-file",
  title: "kill -9 of a service with a data file between two steps of calls with an Idempotency-Key",
  rounds: 20,
  async run(lab) {
    const db = join(lab.directory, "repeats.db")
    return tryKills(lab, db, `sqlite://${db}`, () => startInstances(lab, db, 1))
  },
}

export const repeatKills: Trial = {
  name: "repeat-kills",
  title: "kill -9 of one of two instances on PostgreSQL between two steps of calls with an Idempotency-Key",
  rounds: 300,
  async run(lab) {
    const { server, instances } = await openCluster(lab, 2)
    return tryKills(lab, server.url, server.url, async () => instances)
  },
}

/** @param sqlUrl the database, as Bun's SQL client names it */
async function tryKills(
  lab: Lab,
  db: string,
  sqlUrl: string,
  start: () => Promise<readonly Instance[]>,
): Promise<readonly Finding[]> {
  const [customer] = await createCustomers(db, 1, "ample")
  if (!customer) throw new Error("there must be a customer")
  const instances = await start()
  const before = (await readBooks(db)).get(customer.id) ?? 0
  const { key } = customer
  const tried = await killDuringCalls(instances, { key, rounds: lab.rounds, say: lab.say })
  for (const problem of tried.problems) lab.say(problem)
  const booked = ((await readBooks(db)).get(customer.id) ?? 0) - before
  const sql = new Bun.SQL(sqlUrl)
  const [row] = await sql`SELECT count(*) AS kept FROM call_replays`
  await sql.close()
  return [
    none("calls answered wrongly, or charged another number of times than once", tried.problems.length),
    none("credits booked beyond those of each call once", booked - tried.credits),
    none("credits of answered calls that were not booked", tried.credits - booked),
    none("Idempotency-Keys kept beyond one for each call", Number(row.kept) - tried.calls),
    count("calls, each sent four times", tried.calls),
    count("first answers lost", tried.lost, 1),
    count("of these, calls that were charged", tried.lostWithEffect),
  ]
}
