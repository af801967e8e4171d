import { connect, type Socket } from "node:net"
import type { Case } from "../case.ts"
import { loadOnce, type Measured, median, toRow } from "../compare.ts"
import { lookUp } from "../loads.ts"
import { startServer } from "../processes.ts"

const slowClients = 1_000
/** One octet. */
const paceMs = 1_000

/** Whoever sends one octet a second must not slow down those who send requests. */
export const slow: Case = {
  name: "slow",
  title: `${slowClients.toLocaleString("en")} connections that send one byte a second, beside quick ones`,
  async run(bench) {
    const store = await bench.store(1, 1)
    const [key = ""] = store.keys
    const server = await startServer(bench.penknife(store))
    const load = lookUp(store.keys)
    const quiet: Measured["rounds"][number][] = []
    const beset: Measured["rounds"][number][] = []
    let reconnected = 0
    try {
      bench.say("warming up")
      await loadOnce(bench, load, server)
      for (let round = 1; round <= bench.rounds; round++) {
        bench.say(`round ${round} of ${bench.rounds}: quiet`)
        quiet.push(await loadOnce(bench, load, server))
        bench.say(`round ${round} of ${bench.rounds}: beset`)
        const crowd = await besiege(server.url, key)
        beset.push(await loadOnce(bench, load, server))
        reconnected += crowd.leave()
      }
    } finally {
      await server.stop()
    }
    const ratios = beset.map(({ p99Ms }, index) => p99Ms / (quiet[index]?.p99Ms ?? Number.NaN))
    return {
      rows: [
        toRow({ name: "quiet", idleMb: null, rounds: quiet }),
        toRow({ name: "beset", idleMb: null, rounds: beset }),
      ],
      findings: [
        {
          what: "p99, beset ÷ quiet",
          value: median(ratios),
          range: [Math.min(...ratios), Math.max(...ratios)],
          goal: { atMost: 2 },
        },
      ],
      notes: [
        `A third each sends headers, a body with a key and a body without one. ${reconnected} were closed by the server, and came back.`,
      ],
    }
  },
}

/** Connections that all stay open for as long as the server lets them, and are replaced when it does not. */
async function besiege(url: string, key: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let reconnected = 0
  let left = false

  function join(kind: number): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(beginning(kind, key), () => resolve()),
      )
      sockets.add(socket)
      socket.resume()
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        if (left) return
        reconnected++
        join(kind)
      })
    })
  }

  await Promise.all(Array.from({ length: slowClients }, (_, index) => join(index % 3)))
  const pace = setInterval(() => {
    for (const socket of sockets) socket.write("a")
  }, paceMs)
  return {
    /** Gives how many were closed by the server meanwhile. */
    leave(): number {
      left = true
      clearInterval(pace)
      for (const socket of sockets) socket.destroy()
      return reconnected
    },
  }
}

function beginning(kind: number, key: string): string {
  if (kind === 0) return "GET /v1/bluetoothlookup?companyid=76 HTTP/1.1\r\nhost: x\r\nx-slow: "
  const keyHeader = kind === 1 ? `x-api-key: ${key}\r\n` : ""
  return `POST /v1/hmac HTTP/1.1\r\nhost: x\r\n${keyHeader}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{`
}
