import type { Case } from "../case.ts"
import { toFinding } from "../compare.ts"
import { type HostileRequest, hostileRequests } from "../hostile.ts"
import { startServer } from "../processes.ts"

/** How long one request may hold up all others. */
const goalMs = 50

/** The longest time that any request within the limits holds up the service. */
export const stalls: Case = {
  name: "stalls",
  title: "Longest wait of other requests while one hostile request is answered, in ms",
  async run(bench) {
    const store = await bench.store(1, 1)
    const [key = ""] = store.keys
    const server = await startServer(bench.penknife(store))
    try {
      const findings = []
      for (const request of hostileRequests()) {
        const waits: number[] = []
        for (let round = 0; round < bench.rounds; round++)
          waits.push(await longestWait(request, key, server.url))
        bench.say(`${request.name}: ${Math.min(...waits).toFixed(0)} to ${Math.max(...waits).toFixed(0)} ms`)
        findings.push(toFinding(request.name, waits, { atMost: goalMs }))
      }
      const worst = findings.toSorted((a, b) => b.value - a.value)
      return {
        rows: [],
        findings: worst,
        notes: ["The longest wait comes first. Another busy program makes waits longer."],
      }
    } finally {
      await server.stop()
    }
  },
}

/** Asks for `/health` again and again while the request is answered. Returns the longest wait. */
async function longestWait(
  { path, body, accept }: HostileRequest,
  key: string,
  url: string,
): Promise<number> {
  const headers = {
    "x-api-key": key,
    "content-type": "application/json",
    accept: accept ?? "application/json",
  }
  let isOver = false
  let longestMs = 0
  async function ping(): Promise<void> {
    while (!isOver) {
      const startMs = performance.now()
      await (await fetch(`${url}/health`)).arrayBuffer()
      longestMs = Math.max(longestMs, performance.now() - startMs)
    }
  }
  const pings = ping()
  const answer = await fetch(`${url}${path}`, { method: "POST", headers, body })
  await answer.arrayBuffer()
  isOver = true
  await pings
  if (answer.status >= 500) throw new Error(`${path} was answered ${answer.status}`)
  return longestMs
}
