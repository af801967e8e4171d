/** A service that is asked to stop under load, on the executable: clients that keep their connections lose no answer. */
import { expect, test } from "bun:test"
import { connect } from "node:net"
import { tempDir } from "../support/temp.ts"
import { until } from "../support/until.ts"
import { lookUp, seedOne } from "./accounts.ts"
import { serve } from "./support.ts"

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
