import { connect, type Socket } from "node:net"
import type { Case } from "../case.ts"
import { loadOnce, type Measured, type Round, toFinding, toRows } from "../compare.ts"
import { lookUp } from "../loads.ts"
import { startServer } from "../processes.ts"

const slowClients = 1_000
/** Time between two bytes of a slow client. */
const paceMs = 1_000

/** Clients that send one byte a second must not slow down the others. */
export const slow: Case = {
  name: "slow",
  title: `${slowClients.toLocaleString("en")} connections that send one byte a second, beside fast ones`,
  async run(bench) {
    const store = await bench.store(1, 1)
    const [key = ""] = store.keys
    const load = lookUp(store.keys)
    const server = await startServer(bench.penknife(store))
    const without: Round[] = []
    const beside: Round[] = []
    let reconnected = 0
    try {
      bench.say("warm-up")
      await loadOnce(bench, load, server)
      for (let round = 1; round <= bench.rounds; round++) {
        bench.say(`round ${round} of ${bench.rounds}: without slow clients`)
        without.push(await loadOnce(bench, load, server))
        bench.say(`round ${round} of ${bench.rounds}: with slow clients`)
        const crowd = await connectSlowClients(server.url, key)
        beside.push(await loadOnce(bench, load, server))
        reconnected += crowd.disconnect()
      }
    } finally {
      await server.stop()
    }
    const measured: Record<string, Measured> = {
      without: { name: "without slow clients", idleMb: null, rounds: without },
      beside: { name: "with slow clients", idleMb: null, rounds: beside },
    }
    const ratios = beside.map(({ p99Ms }, index) => p99Ms / (without[index]?.p99Ms ?? Number.NaN))
    return {
      rows: toRows(measured),
      findings: [toFinding("p99, with ÷ without slow clients", ratios, { atMost: 2 })],
      notes: [
        "A third each sends headers, a body with a key, and a body without a key. " +
          `The server closed ${reconnected} slow connections; each was opened again.`,
      ],
    }
  },
}

/** Opens the slow connections, and opens one again when the server closes it. */
async function connectSlowClients(url: string, key: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let reconnected = 0
  let isOver = false

  function open(kind: number): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(firstPart(kind, key), () => resolve()),
      )
      sockets.add(socket)
      socket.resume()
      // An error is followed by 'close', which opens the connection again.
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        if (isOver) return
        reconnected++
        open(kind)
      })
    })
  }

  await Promise.all(Array.from({ length: slowClients }, (_, index) => open(index % 3)))
  const pace = setInterval(() => {
    for (const socket of sockets) socket.write("a")
  }, paceMs)
  return {
    /** Ends all of them. Returns how many the server had closed. */
    disconnect(): number {
      isOver = true
      clearInterval(pace)
      for (const socket of sockets) socket.destroy()
      return reconnected
    },
  }
}

function firstPart(kind: number, key: string): string {
  if (kind === 0) return "GET /v1/bluetoothlookup?companyid=76 HTTP/1.1\r\nhost: x\r\nx-slow: "
  const keyHeader = kind === 1 ? `x-api-key: ${key}\r\n` : ""
  return `POST /v1/hmac HTTP/1.1\r\nhost: x\r\n${keyHeader}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{`
}
