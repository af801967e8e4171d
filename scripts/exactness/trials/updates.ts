import { SQL } from "bun"
import { keepAliveTimer } from "../../../src/ports/timer.ts"
import { migrate, schemaSteps } from "../../../src/store/postgres/migrations.ts"
import { stepOfLedger } from "../../../test/support/sample-step.ts"
import type { Finding } from "../../findings.ts"
import { chargeFindings, compare, createCustomers, readBooks } from "../books.ts"
import { startInstances } from "../cluster.ts"
import { createServer, type DatabaseServer, query } from "../database.ts"
import { prepareFailures } from "../failures.ts"
import { type Call, mixedCalls, startTraffic } from "../traffic.ts"
import { atMost, count, type Lab, none, type Trial } from "../trial.ts"

const accounts = 100_000
const callers = 16
/** The longest time that a call waits for the database. */
const longestMs = 500
/** How long calls are made before and after the update. */
const marginMs = 2_000
/** How long another session locks both tables in every second round, as the beginning of a dump does. */
const lockedMs = 3_000

export const updates: Trial = {
  name: "updates",
  title: `the tables of ${accounts.toLocaleString("en")} accounts get a column that is filled and indexed, while an instance of the version before charges`,
  rounds: 2,
  async run(lab) {
    const server = await createServer(`${lab.directory}/database`)
    await server.start()
    lab.cleanUp(() => server.stop())
    const results: Updated[] = []
    for (let round = 0; round < lab.rounds; round++) {
      const result = await update(lab, server, round)
      lab.say(
        `round ${round + 1}: ${result.seconds.toFixed(1)} s, ${result.calls.length} calls, the longest ${longest(result.calls).toFixed()} ms, without an update ${longest(result.before).toFixed()} ms`,
      )
      results.push(result)
    }
    return report(results)
  },
}

interface Updated extends ReturnType<typeof compare> {
  /** How long the update took. */
  readonly seconds: number
  /** Calls that ended before the update. */
  readonly before: readonly Call[]
  /** Calls during the update or after it. */
  readonly calls: readonly Call[]
}

/** Fills a database and updates it while an instance charges there. */
async function update(lab: Lab, server: DatabaseServer, round: number): Promise<Updated> {
  const name = `round_${round}`
  await query(server.url, `CREATE DATABASE ${name} ENCODING UTF8 TEMPLATE template0`)
  const url = server.url.replace(/postgres$/, name)
  const instances = await startInstances(lab, url, 1)
  const sayFailures = prepareFailures(lab, instances)
  const customers = await createCustomers(url, callers, "ample")
  const sql = new SQL({ url, max: 1 })
  await sql.unsafe(fill).simple()
  const before = await readBooks(url)
  const traffic = startTraffic({ instances, customers, requests: mixedCalls })
  await Bun.sleep(marginMs)
  const unlocked = round % 2 === 1 ? keepLocked(url) : null
  const startMs = performance.now()
  await migrate(sql, name, { timer: keepAliveTimer, steps: [...schemaSteps, stepOfLedger] })
  const endMs = performance.now()
  await Bun.sleep(marginMs)
  await traffic.stop()
  await unlocked
  const [row] = await sql.unsafe<{ left: number }[]>(
    "SELECT count(*)::integer AS left FROM accounts WHERE trial <> plan || ' ' || name",
  )
  if (row?.left !== 0) throw new Error(`${row?.left} accounts were not filled`)
  await sql.close()
  sayFailures(traffic.calls.filter(({ status }) => status !== 200))
  for (const instance of instances) await instance.stop()
  const after = await readBooks(url)
  return {
    ...compare(traffic.calls, before, after, Number.POSITIVE_INFINITY),
    seconds: (endMs - startMs) / 1_000,
    before: traffic.calls.filter((call) => call.endMs < startMs),
    calls: traffic.calls.filter((call) => call.endMs >= startMs),
  }
}

/** Adds accounts with a key each. Triggers and foreign keys are off: they are slow and make no difference here. */
const fill = `
  SET session_replication_role = replica;
  INSERT INTO accounts (id, name, plan, created_ms)
    SELECT 'many_' || n, 'Name ' || n, 'ample', 1000 + n FROM generate_series(1, ${accounts}) AS n;
  INSERT INTO ledger (account_id, period_start_ms, used, bonus)
    SELECT 'many_' || n, 1000 + n, n % 900, 0 FROM generate_series(1, ${accounts}) AS n;
  INSERT INTO keys (id, account_id, name, prefix, created_ms, block_apis)
    SELECT 'key_' || n, 'many_' || n, 'ci', 'pk-abcdef', n, '[]' FROM generate_series(1, ${accounts}) AS n;
  INSERT INTO secrets (hash, key_id, created_ms)
    SELECT 'hash ' || n, 'key_' || n, n FROM generate_series(1, ${accounts}) AS n;
  RESET session_replication_role;
  ANALYZE`

async function keepLocked(url: string): Promise<void> {
  const sql = new SQL({ url, max: 1 })
  await sql.unsafe("BEGIN; LOCK TABLE accounts, ledger IN ACCESS SHARE MODE").simple()
  await Bun.sleep(lockedMs)
  await sql.unsafe("COMMIT").simple()
  await sql.close()
}

const longest = (calls: readonly Call[]): number =>
  calls.reduce((ms, call) => Math.max(ms, call.endMs - call.startMs), 0)

function report(results: readonly Updated[]): Finding[] {
  const calls = results.flatMap((result) => result.calls)
  return [
    count("updates", results.length),
    count("the longest update, s", Math.max(...results.map(({ seconds }) => seconds))),
    count("calls", calls.length),
    none("refused calls", calls.filter(({ status }) => status !== 200).length),
    none('calls that "may have been charged"', calls.filter(({ isUncertain }) => isUncertain).length),
    atMost(
      "the longest call, ms",
      results.map((result) => longest(result.calls)),
      longestMs,
    ),
    ...chargeFindings(results),
  ]
}
