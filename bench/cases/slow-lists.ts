import { Agent, get } from "node:http"
import { join } from "node:path"
import { command } from "../../scripts/exactness/command.ts"
import { openDatabase } from "../../src/store/sqlite/database-file.ts"
import type { Case } from "../case.ts"
import { toFinding } from "../compare.ts"
import { startServer } from "../processes.ts"

const accounts = 1_000_000
const connections = 20
const requestsOfEach = 10
/** How long such lists may keep others waiting. */
const goalMs = 20
/** Lists that look at every account, since they find none or few. */
const lists = [
  ...["closed=true&search=zzz", "closed=true", "search=zzz", "near_limit=true&search=zzz"],
  ...["near_limit=false&search=zzz", "sort=used", "closed=true&sort=name"],
]

/** The longest time that others wait while a reader of accounts asks for lists of many accounts. */
export const slowLists: Case = {
  name: "slow-lists",
  title: `Longest wait for /health in ms, beside ${connections * requestsOfEach} lists of ${accounts.toLocaleString("en")} accounts on ${connections} connections`,
  onRequest: true,
  async run(bench) {
    const file = join(bench.directory, "slow-lists.db")
    fill(file)
    const reader = ["admin-key", "create", "--name", "reader", "--may", "accounts.read"]
    const adminKey = String((await command(bench, file, reader)).key)
    const server = await startServer(bench.penknife({ file, keys: [] }))
    try {
      const waits: number[] = []
      const times: number[] = []
      for (let round = 0; round < bench.rounds; round++) {
        const { longestMs, tookMs } = await measure(server.url, adminKey)
        bench.say(`longest wait ${longestMs.toFixed(0)} ms, all lists in ${tookMs.toFixed(0)} ms`)
        waits.push(longestMs)
        times.push(tookMs)
      }
      const findings = [
        toFinding("longest wait of a kept connection", waits, { atMost: goalMs }),
        toFinding("all lists together", times, { atMost: 60_000 }),
      ]
      return { rows: [], findings, notes: ["Another busy program makes waits longer."] }
    } finally {
      await server.stop()
    }
  },
}

/** One account in 50 is closed, and one in nine has used 80 % of its month. The closed ones are the newest. */
function fill(file: string): void {
  const numbers = `(WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${accounts - 1}) SELECT n FROM numbers)`
  const id = "printf('acc_%016d', n)"
  const startMs = Date.now() - 10 * 86_400_000
  const database = openDatabase(file)
  database.run("PRAGMA synchronous = OFF")
  database.run(
    `INSERT INTO accounts (id, name, plan, created_ms) SELECT ${id}, 'Account ' || n, 'free', ${startMs} + n FROM ${numbers}`,
  )
  database.run(`INSERT INTO ledger (account_id, closed_ms, period_start_ms, used, bonus, notified)
    SELECT ${id}, CASE WHEN n >= ${accounts * 0.98} THEN 5 END, ${startMs}, n % 900, 0, CASE WHEN n % 9 = 0 THEN 80 ELSE 0 END FROM ${numbers}`)
  database.close()
}

/** Asks for `/health` on one connection again and again, until all lists are answered. */
async function measure(url: string, adminKey: string): Promise<{ longestMs: number; tookMs: number }> {
  const startMs = performance.now()
  let isOver = false
  let longestMs = 0
  async function ping(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isOver) {
      const sentMs = performance.now()
      await statusOf(`${url}/health`, agent)
      longestMs = Math.max(longestMs, performance.now() - sentMs)
    }
    agent.destroy()
  }
  async function ask(connection: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let request = 0; request < requestsOfEach; request++) {
      const query = lists[(connection + request) % lists.length]
      const status = await statusOf(`${url}/admin/v1/accounts?${query}`, agent, { "x-admin-key": adminKey })
      if (status !== 200) throw new Error(`a list was answered ${status}`)
    }
    agent.destroy()
  }
  const pings = ping()
  await Promise.all(Array.from({ length: connections }, (_, connection) => ask(connection))).finally(() => {
    isOver = true
  })
  await pings
  return { longestMs, tookMs: performance.now() - startMs }
}

/** The status of an answer that was read whole. */
const statusOf = (url: string, agent: Agent, headers: Record<string, string> = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = get(url, { agent, headers }, (answer) => {
      answer.resume()
      answer.on("end", () => resolve(answer.statusCode ?? 0))
    })
    request.on("error", reject)
  })
