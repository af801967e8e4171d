import { connect, type Socket } from "node:net"
import { watchTurns } from "../../test/support/turn-watch.ts"
import type { Case } from "../case.ts"
import { toFinding } from "../compare.ts"
import { type ServerProcess, startServer, usageOf } from "../processes.ts"

const goalMb = 500
const goalMs = 100
/** Nobody waits longer for the processor time of others. */
const goalBusyMs = 50
/** Longer than an unread answer is kept, so that those which waited for its memory are made too. The three kinds take 90 s. */
const watchedMs = 30_000

interface LargeCall {
  readonly name: string
  readonly clients: number
  readonly path: string
  readonly body: object
}

const calls: readonly LargeCall[] = [
  {
    name: "60 batches of 200 loans as XML",
    clients: 60,
    path: "/v1/loanpaymentcalculator/batch?format=xml",
    body: { inputs: Array(200).fill({ loanAmount: 999_999_999.99, interestRate: 99.999_999, loanTerm: 50 }) },
  },
  {
    name: "25 queries of 50 sorted lists",
    clients: 25,
    path: "/v1/graphql",
    body: {
      query: `query($lines: [String!]!) { ${Array.from({ length: 50 }, (_, index) => `a${index}: linesorter(input: {lines: $lines}) { sorted }`).join(" ")} }`,
      variables: { lines: Array.from({ length: 9_999 }, (_, index) => `a line of a list, ${index}`) },
    },
  },
  {
    name: "60 long texts",
    clients: 60,
    path: "/v1/linesorter",
    body: { lines: Array(20).fill("\u0001".repeat(16_000)) },
  },
]

/** One account asks for large answers and reads none of them: memory, and waits of others. */
export const unread: Case = {
  name: "unread",
  title: "Highest memory in MB, and longest wait of /health in ms, beside large answers that nobody reads",
  async run(bench) {
    const findings = []
    // One round: the highest value of many moments is looked for, and five rounds would take ten minutes.
    for (const call of calls) {
      const store = await bench.store(1, 1)
      const server = await startServer(bench.penknife(store))
      const seen = await watch(server, call, store.keys[0] ?? "").finally(() => server.stop())
      bench.say(`${call.name}: ${JSON.stringify(seen)}`)
      findings.push(
        toFinding(`${call.name}: MB`, [seen.mb], { atMost: goalMb }),
        toFinding(`${call.name}: ms of /health`, [seen.waitMs], { atMost: goalMs }),
        toFinding(`${call.name}: ms of processor time before /health`, [seen.busyMs], { atMost: goalBusyMs }),
      )
    }
    const notes = [
      "Another busy program makes waits longer. Processor time is that of the thread which answers, while /health waits.",
    ]
    return { rows: [], findings, notes }
  },
}

/** Sends the calls and reads nothing. Returns the most memory and the longest waits until the second answers are given up. */
async function watch({ url, pid }: ServerProcess, { clients, path, body }: LargeCall, key: string) {
  const { hostname, port } = new URL(url)
  const text = JSON.stringify(body)
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\ncontent-type: application/json`
  const sockets: Socket[] = []
  // This thread is busy sending: what it asked itself would wait for it, too.
  const seen = await watchTurns({ url, pid }, async () => {
    for (let client = 0; client < clients; client++) {
      const socket = connect(Number(port), hostname).pause()
      socket.on("error", () => {})
      socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
      sockets.push(socket)
    }
    let mb = 0
    for (const beginMs = performance.now(); performance.now() - beginMs < watchedMs; await Bun.sleep(5))
      mb = Math.max(mb, usageOf(pid)?.residentMb ?? Number.NaN)
    return mb
  })
  for (const socket of sockets) socket.destroy()
  return {
    mb: Math.round(seen.result),
    waitMs: Math.round(seen.longestWaitMs),
    busyMs: Math.round(seen.longestMs),
  }
}
