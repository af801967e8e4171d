/**
 * A service in another process whose callers name policy hosts that play tricks, beside ordinary calls of another account:
 * `bun run fuzz --policy-hosts`. Others wait less than 50 ms for its main thread and get right answers, and memory is bounded.
 */
import { afterAll, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createServer, type TLSSocket } from "node:tls"
import { catalog } from "../../src/app/prepare.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { createSelfSigned } from "../../src/ports/tls/self-signed.ts"
import { countsOf, inParallel, leastOfTurns, watchBeside } from "../support/beside.ts"
import { tempDir } from "../support/temp.ts"
import { memoryOf, requestFor, startWatchedProgram } from "../support/worst-inputs.ts"

const calls = Number(process.env.POLICY_CALLS ?? 60)
const connections = 64
/** The most that the main thread may run while others wait. */
const longestMs = 50
/** The most memory of the service. */
const mostMb = 500
/** Longer than the 10 s that a request may take, and the turns that calls of one account wait for. */
const dripMs = 200

/** Each writes what the host answers, in its own time. */
const tricks: Readonly<Record<string, (socket: TLSSocket, path: string) => void>> = {
  good: (socket) => void socket.end(reply("version: STSv1\nmode: enforce\nmx: *.test\nmax_age: 86400\n")),
  redirect: (socket, path) =>
    void socket.end(
      `HTTP/1.1 302 Found\r\nLocation: https://redirect.test${path}/x\r\nContent-Length: 0\r\n\r\n`,
    ),
  inward: (socket) =>
    void socket.end("HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n"),
  silent() {},
  "drips-headers": (socket) => drip(socket, "HTTP/1.1 200 OK\r\nX-Slow: ", "y"),
  "drips-body": (socket) => drip(socket, "HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n", "mx: a.test\n"),
  endless: (socket) => flood(socket, "HTTP/1.1 200 OK\r\n\r\n", "x".repeat(65_536)),
  "endless-headers": (socket) => flood(socket, "HTTP/1.1 200 OK\r\n", `X-Long: ${"y".repeat(8_000)}\r\n`),
  "endless-chunks": (socket) =>
    flood(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n".repeat(10_000)),
  "many-lines": (socket) =>
    void socket.end(
      reply(
        `version: STSv1\nmode: enforce\nmax_age: 86400\n${"mx: a.test\n".repeat(5_900)}`.slice(0, 65_000),
      ),
    ),
  "one-line": (socket) => void socket.end(reply("m".repeat(65_000))),
  svg: (socket) =>
    void socket.end(
      reply(`<svg xmlns="http://www.w3.org/2000/svg">${"<g>".repeat(16_000)}`, "image/svg+xml"),
    ),
  pem: (socket) =>
    void socket.end(
      reply("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".repeat(1_100).slice(0, 65_000)),
    ),
  zeros: (socket) => void socket.end(Buffer.alloc(60_000)),
  closes: (socket) => void socket.destroy(),
  "too-short": (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\nversion"),
  "two-lengths": (socket) =>
    void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 50000\r\n\r\nversion"),
  "hundred-continues": (socket) =>
    void socket.end(`${"HTTP/1.1 100 Continue\r\n\r\n".repeat(2_000)}${reply("version: STSv1\n")}`),
  private: (socket) => void socket.end(reply("version: STSv1\n")),
}

const reply = (body: string, type = "text/plain"): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

function drip(socket: TLSSocket, head: string, piece: string): void {
  socket.write(head)
  const next = () => {
    if (socket.destroyed) return
    socket.write(piece)
    keepAliveTimer.after(dripMs, next)
  }
  next()
}

/** Writes as much as the other side takes, until it goes. */
function flood(socket: TLSSocket, head: string, piece: string): void {
  const pour = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on("drain", pour)
  socket.write(head)
  pour()
}

const names = Object.keys(tricks)
const hostsOf = (name: string) => [`${name}.test`, `mta-sts.${name}.test`, `*.${name}.test`]
const { cert, key, ca } = await createSelfSigned(names.flatMap(hostsOf), Date.now())
const sockets = new Set<TLSSocket>()
/** Hosts that were asked, by trick. */
const asked = new Map<string, number>()
const hosts = createServer({ cert, key }, (socket) => {
  sockets.add(socket)
  socket.on("close", () => sockets.delete(socket))
  socket.on("error", () => socket.destroy())
  socket.once("data", (data) => {
    const request = data.toString("latin1")
    const [, host = ""] = /\r\nhost: ([^\r]*)/i.exec(request) ?? []
    const trick = host.split(".").at(-2) ?? ""
    asked.set(trick, (asked.get(trick) ?? 0) + 1)
    tricks[trick]?.(socket, request.split(" ")[1] ?? "")
  })
})
const port = await new Promise<number>((resolve) => {
  hosts.listen(0, "127.0.0.1", () => {
    const address = hosts.address()
    resolve(typeof address === "object" && address ? address.port : 0)
  })
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  hosts.close()
})

const caFile = join(tempDir(), "ca.pem")
writeFileSync(caFile, ca)
const program = join(import.meta.dir, "../support/hostile-web-service.ts")
const service = await startWatchedProgram(program, [String(port), caFile], 1, 1)
const [[hostileKey = ""] = [], [ordinaryKey = ""] = []] = service.keys

const apis = catalog.filter(({ asksWeb }) => asksWeb)
/** Each call is about a name of its own, which no answer in memory is for. */
let labels = 0

async function send(trick: string): Promise<number> {
  const { id = "", method = "GET" } = apis[labels % apis.length] ?? {}
  const domain = labels % 2 === 0 ? `${trick}.test` : `n${labels}.${trick}.test`
  labels++
  const answer = await fetch(requestFor({ url: service.url, key: hostileKey }, { id, method }, { domain }))
  await answer.text()
  return answer.status
}

test(`${calls} calls about each of ${names.length} policy hosts`, async () => {
  const slow: string[] = []
  let most = 0
  for (const trick of names) {
    const statuses: number[] = []
    const shortest = await leastOfTurns(longestMs, async () => {
      const ordinary = { "/v1/gtinvalidator?code=4006381333931": '"is_valid":true' }
      const seen = await watchBeside({ ...service, key: ordinaryKey }, ordinary, () =>
        inParallel(Array(calls).fill(trick), connections, async (one) => {
          statuses.push(await send(one))
        }),
      )
      expect(seen.wrong).toEqual([])
      return seen
    })
    console.log(
      `${trick}: asked ${asked.get(trick) ?? 0} times, answers ${countsOf(statuses)}, ${shortest.toFixed(1)} ms, ${memoryOf(service.pid).nowMb.toFixed(0)} MB`,
    )
    expect(statuses.filter((status) => ![200, 503].includes(status))).toEqual([])
    if (trick === "private") expect(asked.get(trick) ?? 0).toBe(0)
    else expect(asked.get(trick) ?? 0).toBeGreaterThan(0)
    if (shortest >= longestMs) slow.push(`${trick}: ${shortest.toFixed(1)} ms`)
    most = Math.max(most, shortest)
  }
  console.log(
    `Longest time of the main thread during a request for /health ${most.toFixed(1)} ms; most memory ${memoryOf(service.pid).mostMb.toFixed(0)} MB`,
  )
  expect(slow).toEqual([])
  expect(memoryOf(service.pid).mostMb).toBeLessThan(mostMb)
}, 3_600_000)
