/** Slow clients, and a call that never ends, on the executable. These tests wait until time limits end. */

import { expect, test } from "bun:test"
import { once } from "node:events"
import { connect } from "node:net"
import { join } from "node:path"
import { httpLimits } from "../../src/surfaces/http/read/limits.ts"
import { mainThreadMs } from "../support/processor-time.ts"
import { slowly } from "../support/raw-http.ts"
import { tempDir } from "../support/temp.ts"
import { seedOne } from "./accounts.ts"
import { serve } from "./support.ts"

const dir = tempDir()

test("time limits end a connection whose headers never end, and a call that does not end when the service stops", async () => {
  // At the same time, since each takes more than ten seconds.
  await Promise.all([headersThatNeverEnd(), callThatNeverEnds()])
})

test.skipIf(process.platform !== "linux")(
  "who connects anew after each answer, with the worst headers, keeps no other connection waiting",
  async () => {
    const server = await serve(join(dir, "strangers.db"))
    const { hostname, port } = new URL(server.url)
    const accept = `application/problem+json;q=0,${"a/b,".repeat(3_800)}`
    const bytes = `GET /v1/nothing HTTP/1.1\r\nhost: x\r\naccept: ${accept}\r\n\r\n`
    const strangers = 2
    let answered = 0
    const connectAnew = async (): Promise<void> => {
      while (answered < 300) {
        await new Promise<void>((resolve, reject) => {
          const socket = connect(Number(port), hostname, () => socket.write(bytes))
          socket.on("error", reject)
          socket.once("data", () => socket.destroy())
          socket.once("close", resolve)
        })
        answered++
      }
    }
    // A socket of the strangers' thread: `fetch` has its own, which a busy machine may stop while the strangers go on.
    const kept = connect(Number(port), hostname)
    await once(kept, "connect")
    const loops = Array.from({ length: strangers }, connectAnew)
    let longestMs = 0
    while (answered < 300) {
      const beforeMs = mainThreadMs(server.child.pid)
      kept.write("GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
      expect(`${(await once(kept, "data"))[0]}`).toStartWith("HTTP/1.1 200 OK\r\n")
      longestMs = Math.max(longestMs, mainThreadMs(server.child.pid) - beforeMs)
    }
    await Promise.all(loops)
    kept.destroy()
    // Computed between a request and its answer: by the clock it would take longer on a busy machine.
    expect(longestMs).toBeGreaterThan(0)
    expect(longestMs).toBeLessThan(50)
  },
)

/** A connection whose headers never end is closed, also when a byte arrives now and then. */
async function headersThatNeverEnd(): Promise<void> {
  const server = await serve(join(dir, "slow.db"))
  const startedMs = performance.now()
  const silent = slowly(server.url, "")
  const trickling = slowly(server.url, "GET /health HTTP/1.1\r\nhost: x\r\nx-slow: ")
  const tick = setInterval(() => trickling.socket.write("a"), 1_000)
  // The service may close while a byte is on its way, which resets the connection.
  const ended = trickling.closed.catch((cause) => {
    if (cause.code !== "ECONNRESET") throw cause
    return trickling.answer()
  })
  expect(await Promise.all([silent.closed, ended])).toEqual(["", ""])
  clearInterval(tick)
  // Bun counts in steps of four seconds. A busy machine may be later, so there is no upper bound.
  expect(performance.now() - startedMs).toBeGreaterThan((httpLimits.headerSeconds - 5) * 1_000)
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
}

/** After SIGTERM the process waits for a call that does not end, and then ends. */
async function callThatNeverEnds(): Promise<void> {
  const { db, key, used } = await seedOne(dir)
  const server = await serve(db, "--body-timeout", "25")
  const call = slowly(
    server.url,
    `POST /v1/hmac HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
  )
  await call.written
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
  const startedMs = performance.now()
  expect(await server.stop()).toBe(0)
  expect(performance.now() - startedMs).toBeGreaterThan((httpLimits.stopSeconds - 1) * 1_000)
  expect(await call.closed.catch(() => "")).toBe("")
  expect(await used()).toBe(0)
}
