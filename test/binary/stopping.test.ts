/** A service that is asked to stop under load, on the executable: clients that keep their connections lose no answer. */
import { expect, test } from "bun:test"
import { connect } from "node:net"
import { tempDir } from "../support/temp.ts"
import { until } from "../support/until.ts"
import { lookUp, seedOne } from "./accounts.ts"
import { childrenOf, serve } from "./support.ts"

const clients = 32

/** The answers that a client saw on its one connection. */
interface Conversation {
  answers: number
  /** Whether the last answer said that the connection will be closed. */
  wasTold: boolean
  /** Whether a request was sent whose answer never came. */
  lost: boolean
}

/** Sends one request after another on one connection, until an answer says that it will be closed or it is closed. */
function keepAsking(url: string, key: string, seen: Conversation): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const request = `GET ${lookUp} HTTP/1.1\r\nHost: ${hostname}\r\nx-api-key: ${key}\r\n\r\n`
  let text = ""
  socket.on("connect", () => socket.write(request))
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1")
    const [head = "", body] = text.split("\r\n\r\n")
    if (body === undefined || body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1])) return
    expect(head).toStartWith("HTTP/1.1 200 ")
    seen.answers++
    seen.wasTold = /^connection: close\r?$/im.test(head)
    text = ""
    if (!seen.wasTold) socket.write(request)
  })
  return new Promise((resolve) => {
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      seen.lost = !seen.wasTold
      resolve()
    })
  })
}

test.each([[[]], [["--workers", "2"]]])(
  "SIGTERM with --drain and %p: it is not ready and serves on, until a second signal ends that",
  async (flags) => {
    if (flags.length > 0 && process.platform !== "linux") return
    const { db, key, used, call } = await seedOne(tempDir(), { plan: "mega" })
    const server = await serve(db, "--drain", "3600", ...flags)
    const ready = async () => (await fetch(`${server.url}/ready`, { keepalive: false })).status
    expect(await ready()).toBe(200)
    // As a terminal does on Ctrl+C, and some service managers: all processes get the signal.
    for (const pid of [server.child.pid, ...childrenOf(server.child.pid)]) process.kill(pid, "SIGTERM")
    // The connections are spread over the workers, of which each gets the signal when it next runs.
    let unready = 0
    await until(async () => {
      unready = (await ready()) === 503 ? unready + 1 : 0
      return unready === 20
    })
    for (let n = 0; n < 20; n++) {
      expect(await ready()).toBe(503)
      const answer = await call(server.url, lookUp, { keepalive: false })
      expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"])
    }
    const seen: Conversation = { answers: 0, wasTold: false, lost: false }
    await keepAsking(server.url, key, seen)
    expect(seen).toEqual({ answers: 1, wasTold: true, lost: false })
    expect(await server.stop("SIGINT")).toBe(0)
    expect(await used()).toBe(21)
  },
)

test.each([[[]], [["--workers", "2"]]])(
  "SIGTERM with %p: the last answer on each connection says so, and what is charged is what clients saw",
  async (flags) => {
    if (flags.length > 0 && process.platform !== "linux") return
    const { db, key, used } = await seedOne(tempDir(), { plan: "mega" })
    const server = await serve(db, ...flags)
    const seen = Array.from(
      { length: clients },
      (): Conversation => ({ answers: 0, wasTold: false, lost: false }),
    )
    const ends = seen.map((conversation) => keepAsking(server.url, key, conversation))
    await until(() => seen.every(({ answers }) => answers >= 20))
    const exit = server.stop()
    await Promise.all(ends)
    expect(await exit).toBe(0)
    expect(seen.filter(({ lost }) => lost)).toEqual([])
    expect(await used()).toBe(seen.reduce((sum, { answers }) => sum + answers, 0))
  },
)
