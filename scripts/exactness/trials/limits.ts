import type { Finding } from "../../findings.ts"
import { createCustomers } from "../books.ts"
import { type Cluster, openCluster } from "../cluster.ts"
import { query } from "../database.ts"
import { prepareFailures, type SayFailures } from "../failures.ts"
import { type Customer, send, singleCalls, startTraffic } from "../traffic.ts"
import { count, type Lab, none, type Trial } from "../trial.ts"

/** One call of a bucket takes a minute's microseconds in ticks. */
const ticksPerCall = 60_000_000
const clientsOfInstance = 10
const stormMs = 4_000
/** Calls that a bucket has left before the calls. */
const callsLeft = 500

export const limits: Trial = {
  name: "limits",
  title: "limits per minute over three instances",
  rounds: 3,
  async run(lab) {
    const cluster = await openCluster(lab, 3)
    const sayFailures = prepareFailures(lab, cluster.instances)
    const findings: Finding[] = []
    for (const perMinute of [600, 6_000, 60_000])
      findings.push(...(await tryLimit(lab, cluster, perMinute, sayFailures)))
    return findings
  },
}

async function tryLimit(lab: Lab, cluster: Cluster, perMinute: number, sayFailures: SayFailures) {
  const results: Omit<Awaited<ReturnType<typeof storm>>, "failed">[] = []
  for (let round = 0; round < lab.rounds; round++) {
    const { failed, ...result } = await storm(cluster, perMinute)
    sayFailures(failed)
    lab.say(`${perMinute} a minute, round ${round + 1}: ${JSON.stringify(result)}`)
    results.push(result)
  }
  const worst = (pick: (result: (typeof results)[number]) => number) => Math.max(0, ...results.map(pick))
  const name = `${perMinute.toLocaleString("en")} a minute`
  return [
    ...results.map(({ granted, refused }, round) =>
      count(`${name}, round ${round + 1}: granted, of ${granted + refused} calls`, granted),
    ),
    none(
      `${name}: difference of granted and counted`,
      worst((one) => Math.abs(one.granted - one.counted)),
    ),
    none(
      `${name}: granted beyond the limit`,
      worst((one) => one.granted - one.atMost),
    ),
    none(
      `${name}: refused although the limit allowed it`,
      worst((one) => one.atLeast - one.granted),
    ),
    none(
      `${name}: other answers`,
      worst((one) => one.others),
    ),
  ]
}

/** Sends more calls than a limit allows, to all instances. */
async function storm({ server, instances }: Cluster, perMinute: number) {
  const [customer] = await createCustomers(server.url, 1, `limit${perMinute}`)
  const [first] = instances
  const [request] = singleCalls
  if (!customer || !first || !request) throw new Error("a customer and an instance are needed")
  // Makes the bucket.
  await send(first.url, 0, customer, request)
  await query(
    server.url,
    `UPDATE rates SET full_at_us = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
       + 60000000 - ${callsLeft} * ${ticksPerCall / perMinute}, ticks = 0 WHERE id = '${customer.id}'`,
  )
  const before = await ticksOf(server.url, customer)
  const customers = Array(clientsOfInstance).fill(customer)
  const traffic = startTraffic({ instances, customers, requests: singleCalls })
  await Bun.sleep(stormMs)
  await traffic.stop()
  const after = await ticksOf(server.url, customer)
  /** Calls that the bucket allows until an instant of this machine, which the database runs on too. */
  const allowedUntil = (ms: number) => {
    const us = BigInt(Math.floor((performance.timeOrigin + ms) * 1_000)) + 60_000_000n
    return Number((us * BigInt(perMinute) - before) / BigInt(ticksPerCall))
  }
  const refused = traffic.calls.filter(({ status }) => status === 429)
  const granted = traffic.calls.filter(({ status }) => status === 200).length
  const failed = traffic.calls.filter(({ status }) => status !== 200 && status !== 429)
  return {
    granted,
    refused: refused.length,
    counted: Number(after - before) / ticksPerCall,
    // A slow machine may not reach a high limit. Then nothing was refused that the limit allowed.
    atLeast: refused.length === 0 ? 0 : allowedUntil(Math.max(...refused.map(({ startMs }) => startMs))),
    atMost: allowedUntil(performance.now()),
    others: failed.length,
    failed,
  }
}

/** When the bucket is full, in ticks since the Unix epoch. */
async function ticksOf(url: string, { id }: Customer): Promise<bigint> {
  const [row] = await query<{ ticks: string }>(
    url,
    `SELECT (full_at_us::numeric * per_minute + ticks)::text AS ticks FROM rates WHERE id = '${id}'`,
  )
  return BigInt(row?.ticks ?? 0)
}
