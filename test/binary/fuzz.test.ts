/**
 * Generated requests to the executable: made from its OpenAPI document, most of them broken in some way. Each day has other
 * requests. For another seed or number: `bun run fuzz --seed 7 --runs 1000000`, after `bun run build`.
 */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { mockZone } from "../../src/app/mock.ts"
import { catalog } from "../../src/app/prepare.ts"
import { loadConfig } from "../../src/config/load.ts"
import { runCampaign } from "../fuzz/campaign.ts"
import { seedOfDay } from "../fuzz/seed.ts"
import { toReply, toServedZone } from "../support/dns-reply.ts"
import { startDnsServer } from "../support/dns-server.ts"
import { processMs } from "../support/processor-time.ts"
import { answerCheckOf } from "../support/service.ts"
import { answerFrom, loadSignedZones } from "../support/signed-zones.ts"
import { tempDir } from "../support/temp.ts"
import { memoryOf } from "../support/worst-inputs.ts"
import { createAccount } from "./accounts.ts"
import { runJson, serve } from "./support.ts"

const seed = Number(process.env.FUZZ_SEED ?? seedOfDay())
/** Grows with the catalog: each API gets 70 requests. */
const runs = Number(process.env.FUZZ_RUNS ?? 70 * catalog.length)
const byHand = process.env.FUZZ_RUNS !== undefined || process.env.FUZZ_SEED !== undefined
const connections = 16
/** Requests to each API after which nearly all code has run once: memory is compared with what it is then. */
const warmRuns = 14
/** The most megabytes that memory may grow after that, or after the first tenth if that comes later. */
const mostGrowthMb = 150

test(
  `${runs.toLocaleString("en-US")} requests, seed ${seed}`,
  async () => {
    const zone = toServedZone(answering(mockZone))
    const signed = loadSignedZones()
    const options = { ttlSeconds: 60, negativeTtlSeconds: 60, aliasOnly: false, refuseEdns: false }
    const dns = await startDnsServer(
      {},
      // Signed keys of a root, without which an API that validates DNSSEC says nothing of any name.
      {
        answer: (query) =>
          query.type === "DNSKEY" ? answerFrom(signed, query) : toReply(zone, query, options),
      },
    )
    try {
      await tryExecutable(dns.address)
    } finally {
      await dns.stop()
    }
  },
  // A hundredth of a second for each, for a busy machine.
  300_000 + runs * 10,
)

async function tryExecutable(dnsServer: string): Promise<void> {
  const db = join(tempDir(), "store.db")
  const accounts = {
    enterprise: await issue(db, "enterprise", 20),
    pro: await issue(db, "pro", 8),
    free: await issue(db, "free", 1),
    restricted: await issue(db, "pro", 1, "--allow-api", "hmac"),
  }
  const server = await serve(db, "--dns-server", dnsServer, "--log-level", "debug", "--log-sample", "0")
  const { pid } = server.child
  const memory: number[] = []
  const tenth = Math.max(1, Math.floor(runs / 10))
  const startedMs = performance.now()
  const { sent, answers, successes } = await runCampaign({
    url: server.url,
    keys: accounts,
    seed,
    runs,
    connections,
    check: answerCheckOf(loadConfig({ flags: {}, env: {}, file: null })),
    onAnswer: (count) => count % tenth === 0 && memory.push(memoryOf(pid).nowMb),
  })
  const seconds = (performance.now() - startedMs) / 1_000
  const cpu = [processMs(pid) / 1_000, process.cpuUsage().user / 1e6]
  expect(await server.stop()).toBe(0)

  // Libraries must write nothing to the console, since it may quote the input. In a thread it becomes a line of the log.
  expect((await server.stdout).trimEnd().split("\n")).toHaveLength(1)
  const logged = (await server.stderr).trimEnd().split("\n")
  expect(logged.filter((line) => !line.startsWith("{") || line.includes("wrote to the console"))).toEqual([])
  // Every success was charged, and nothing else was.
  for (const [name, { id }] of Object.entries(accounts))
    expect([name, await callsOf(db, id)]).toEqual([name, earnedBy(name, successes)])
  expect(sent).toBeGreaterThanOrEqual(runs)
  const warm = Math.max(1, Math.ceil((warmRuns * catalog.length) / tenth))
  expect(Math.max(...memory.slice(warm)) - (memory[warm - 1] ?? 0)).toBeLessThan(mostGrowthMb)
  if (byHand) report(sent, seconds, cpu, memory, answers)
  else requireVariety(answers)
}

async function issue(db: string, plan: string, weight: number, ...keyFlags: string[]) {
  const account = await createAccount(db, { plan })
  if (keyFlags.length === 0) return { weight, ...account }
  const { key } = await runJson("key", "create", "--account", account.id, ...keyFlags, "--db", db)
  return { weight, ...account, key: String(key) }
}

/** A zone without the names whose servers do not answer, since each would take seconds. */
const answering = (zone: typeof mockZone): typeof mockZone =>
  Object.fromEntries(
    Object.entries(zone).filter(([, entries]) => !JSON.stringify(entries).toLowerCase().includes("timeout")),
  )

async function callsOf(db: string, account: string): Promise<Record<string, number>> {
  const usage = (await runJson("usage", account, "--db", db)) as { api: string; calls: number }[]
  const calls: Record<string, number> = {}
  for (const one of usage) calls[one.api] = (calls[one.api] ?? 0) + one.calls
  return sorted(calls)
}

function earnedBy(name: string, successes: ReadonlyMap<string, number>): Record<string, number> {
  const own = [...successes].filter(([place]) => place.startsWith(`${name} `))
  return sorted(Object.fromEntries(own.map(([place, calls]) => [place.slice(name.length + 1), calls])))
}

const sorted = (calls: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(calls).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Most requests must not be refused for the same reason, or they would show nothing. */
function requireVariety(answers: ReadonlyMap<string, number>): void {
  const operations = new Set([...answers.keys()].map((place) => place.split(" ")[0] ?? ""))
  const without = (status: number) => [...operations].filter((id) => !answers.has(`${id} ${status}`))
  expect(operations.size).toBeGreaterThan(15)
  expect(without(200)).toEqual([])
  const keyed = (ids: readonly string[]) =>
    ids.filter((id) => !/^(index|health|ready|metrics|openapi)$/.test(id))
  for (const status of [401, 404, 405]) expect([status, keyed(without(status))]).toEqual([status, []])
  // Each operation gets few requests, so chance may leave out a refusal of the input for some.
  expect(keyed(without(400)).length, "operations without a 400").toBeLessThan(operations.size / 10)
}

function report(
  sent: number,
  seconds: number,
  cpu: readonly number[],
  memory: readonly number[],
  answers: ReadonlyMap<string, number>,
): void {
  const list = [...answers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([place, count]) => `  ${place}: ${count}`)
  console.log(
    `${sent} requests in ${seconds.toFixed(1)} s, CPU seconds here and there: ${cpu}, resident MB: ${memory.map(Math.round).join(" ")}`,
  )
  console.log(list.join("\n"))
}
