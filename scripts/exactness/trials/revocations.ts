import { createCustomers, readBooks, sum } from "../books.ts"
import { type Cluster, openCluster } from "../cluster.ts"
import { command } from "../command.ts"
import { type Customer, mixedCalls, startTraffic } from "../traffic.ts"
import { count, type Lab, none, type Trial } from "../trial.ts"

export const revocations: Trial = {
  name: "revocations",
  title: "a key is revoked under the load of three instances",
  rounds: 60,
  async run(lab) {
    const cluster = await openCluster(lab, 3)
    const results: Awaited<ReturnType<typeof revokeUnderLoad>>[] = []
    for (let round = 0; round < lab.rounds; round++) {
      // A command ends a moment after its commit. In a transaction of this program the charges up to the commit can be read.
      const revoke = round % 2 === 0 ? revokeInTransaction : revokeByCommand
      results.push(await revokeUnderLoad(lab, cluster, revoke, 40 + (round % 17)))
    }
    lab.say(`${results.length} keys revoked`)
    return [
      count("keys revoked", results.length),
      count("calls", sum(results.map(({ calls }) => calls))),
      count("calls under way at the revocation", sum(results.map(({ underWay }) => underWay))),
      none("credits charged after the commit", sum(results.map(({ after }) => after))),
      none("successes of calls that began after it", sum(results.map(({ successes }) => successes))),
      none("credits answered and not booked, or the reverse", sum(results.map(({ unequal }) => unequal))),
      count("503", sum(results.map(({ refused }) => refused))),
      none("answers other than success, 401 and 503", sum(results.map(({ others }) => others))),
    ]
  },
}

/** Revokes a key. Returns the credits charged up to its commit, or null when they cannot be told. */
type Revoke = (lab: Lab, db: string, customer: Customer) => Promise<number | null>

async function revokeUnderLoad(lab: Lab, { server, instances }: Cluster, revoke: Revoke, marginMs: number) {
  const [customer] = await createCustomers(server.url, 1, "ample")
  if (!customer) throw new Error("one account is needed")
  const traffic = startTraffic({ instances, customers: Array(4).fill(customer), requests: mixedCalls })
  await Bun.sleep(marginMs)
  const beganMs = performance.now()
  const upToCommit = await revoke(lab, server.url, customer)
  const revokedMs = performance.now()
  await Bun.sleep(marginMs)
  await traffic.stop()
  const booked = (await readBooks(server.url)).get(customer.id) ?? 0
  const { calls } = traffic
  const succeeded = calls.filter(({ status }) => status === 200)
  return {
    calls: calls.length,
    underWay: calls.filter(({ startMs, endMs }) => startMs < revokedMs && endMs > beganMs).length,
    after: upToCommit === null ? 0 : booked - upToCommit,
    successes: succeeded.filter(({ startMs }) => startMs > revokedMs).length,
    unequal: Math.abs(booked - sum(calls.map(({ credits }) => credits))),
    refused: calls.filter(({ status }) => status === 503).length,
    others: calls.filter(({ status }) => ![200, 401, 503].includes(status ?? 0)).length,
  }
}

/** With the change of the row, its account is locked until the commit. */
const revokeInTransaction: Revoke = async (_, db, { id, keyId }) => {
  const sql = new Bun.SQL(db, { max: 1 })
  try {
    return await sql.begin(async (transaction) => {
      await transaction`UPDATE keys SET revoked_ms = ${Date.now()} WHERE id = ${keyId}`
      const [row] = await transaction<{ credits: number }[]>`
        SELECT coalesce(sum(credits), 0)::float8 AS credits FROM all_usage WHERE account_id = ${id}`
      return row?.credits ?? 0
    })
  } finally {
    await sql.close()
  }
}

const revokeByCommand: Revoke = async (lab, db, { keyId }) => {
  await command(lab, db, ["key", "revoke", keyId])
  return null
}
