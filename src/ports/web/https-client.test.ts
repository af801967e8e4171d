/** HTTPS to hosts that strangers name, against servers on loopback, which only tests may reach. */
import { afterAll, expect, test } from "bun:test"
import { X509Certificate } from "node:crypto"
import { createServer, type TLSSocket } from "node:tls"
import { beforeStatus, sendEndlessly } from "../../../test/support/endless.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import type { Dns, DnsZone, Timer } from "../../apis/contract.ts"
import { createZoneDns } from "../dns/zone.ts"
import { systemTimer } from "../timer.ts"
import { createSelfSigned } from "../tls/self-signed.ts"
import { createHttpsClient } from "./https-client.ts"

const host = "mta-sts.a.example"
const dayMs = 86_400_000
const nowMs = Date.now()
const fitting = await createSelfSigned([host], nowMs)
const expired = await createSelfSigned([host], nowMs - 5_000 * dayMs)
const future = await createSelfSigned([host], nowMs + 30 * dayMs)
const elsewhere = await createSelfSigned(["other.example"], nowMs)

const sockets = new Set<TLSSocket>()
const servers: { close(): void }[] = []
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
})

type Certified = Pick<typeof fitting, "cert" | "key">

/** A server that has the certificate and does the same on each connection, once it was sent something. */
async function serve(
  answer: (socket: TLSSocket, request: string) => void,
  { cert, key }: Certified = fitting,
): Promise<{ port: number; requests: string[] }> {
  const requests: string[] = []
  const server = createServer({ cert, key }, (socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("data", (data) => {
      requests.push(String(data))
      answer(socket, String(data))
    })
  })
  const { promise, resolve } = Promise.withResolvers<number>()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    resolve(typeof address === "object" && address ? address.port : 0)
  })
  servers.push(server)
  return { port: await promise, requests }
}

const ok = (body: string, more = "") =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`
const replying = (text: string) => (socket: TLSSocket) => void socket.end(text)

interface Conditions {
  readonly port: number
  readonly ca?: string
  readonly zone?: DnsZone
  readonly dns?: Pick<Dns, "resolve">
  readonly timer?: Timer
  readonly landmarks?: readonly string[]
  allows?(address: string): boolean
}

const zone: DnsZone = { [host]: [{ A: "127.0.0.1" }], "b.example": [{ A: "127.0.0.1" }] }

function clientOf({ port, ca = fitting.ca, dns, timer = systemTimer, landmarks, ...more }: Conditions) {
  const allows = more.allows ?? (() => true)
  return createHttpsClient({
    dns: dns ?? createZoneDns(more.zone ?? zone),
    timer,
    forTests: { port, allows, ca, landmarks: landmarks ?? ["127.0.0.1"] },
  })
}
const get = (conditions: Conditions, url = `https://${host}/.well-known/mta-sts.txt?a=1#part`) =>
  clientOf(conditions).get(url)
const failure = (reason: string) => ({ kind: "failure", reason, certificates: [] })

test("a reply comes with its status, its type, its body and the certificates of the server", async () => {
  const { port, requests } = await serve(replying(ok("version: STSv1\nä")))
  const answer = await get({ port })
  expect(answer).toMatchObject({ kind: "reply", status: 200, contentType: "text/plain" })
  if (answer.kind === "failure") throw new Error(answer.reason)
  expect(new TextDecoder().decode(answer.body)).toBe("version: STSv1\nä")
  const [own = ""] = answer.certificates
  expect(new X509Certificate(Buffer.from(own, "base64")).subjectAltName).toStartWith(`DNS:${host},`)
  expect(requests).toHaveLength(1)
  expect(requests[0]).toStartWith("GET /.well-known/mta-sts.txt?a=1 HTTP/1.1\r\n")
  expect(requests[0]?.toLowerCase()).toContain(`\r\nhost: ${host}\r\n`)
})

test.each([301, 302, 307, 308])("a reply with status %d is not followed", async (status) => {
  const location = `Location: https://${host}/else\r\nContent-Length: 0\r\n\r\n`
  const { port, requests } = await serve(replying(`HTTP/1.1 ${status} Moved\r\n${location}`))
  expect(await get({ port })).toMatchObject({ kind: "reply", status })
  expect(requests).toHaveLength(1)
})

test("a reply may have no type, and any status", async () => {
  const { port } = await serve(replying("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"))
  expect(await get({ port })).toMatchObject({ kind: "reply", status: 404, contentType: null })
})

test("a reply may come in chunks, and end with the connection", async () => {
  const chunked = await serve(
    replying("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
  )
  const open = await serve(replying("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcde"))
  for (const { port } of [chunked, open]) {
    const answer = await get({ port })
    expect(answer.kind === "reply" && new TextDecoder().decode(answer.body)).toBe("abcde")
  }
})

test("a reply is compressed only if the server ignores what was asked for, and then is given as it came", async () => {
  const body = Buffer.from(Bun.gzipSync("abc"))
  const { port, requests } = await serve((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`)
    socket.end(body)
  })
  const answer = await get({ port })
  expect(requests[0]?.toLowerCase()).toContain("accept-encoding: identity")
  expect(answer.kind === "reply" && Buffer.from(answer.body).equals(body)).toBe(true)
})

test.each([
  ["that has expired", expired, "expired-certificate", expired.ca],
  ["that is not valid yet", future, "expired-certificate", future.ca],
  ["for another name", elsewhere, "wrong-certificate", elsewhere.ca],
  ["of an unknown authority", elsewhere, "untrusted-certificate", fitting.ca],
])("a certificate: %s is refused before anything is sent, and is shown", async (_, certified, reason, ca) => {
  const { port, requests } = await serve(replying(ok("secret")), certified)
  const answer = await get({ port, ca })
  expect(answer).toMatchObject({ kind: "failure", reason })
  expect(requests).toEqual([])
  expect(answer.certificates.length).toBeGreaterThan(0)
  const [own = ""] = answer.certificates
  expect(new X509Certificate(Buffer.from(own, "base64")).raw.length).toBeGreaterThan(100)
})

test("a certificate of the system's authorities is asked for outside of tests", async () => {
  const { port } = await serve(replying(ok("x")))
  const dns = createZoneDns(zone)
  const web = createHttpsClient({ dns, timer: systemTimer, forTests: { port, allows: () => true, ca: "" } })
  expect(await web.get(`https://${host}/`)).toMatchObject({ reason: "untrusted-certificate" })
})

test.each([
  ...[`http://${host}/`, `https://${host}:8443/`, `https://user@${host}/`, `https://:word@${host}/`],
  ..."https://127.0.0.1/ https://2130706433/ https://[::1]/ https://[::ffff:127.0.0.1]/".split(" "),
  ...[`ftp://${host}/`, "file:///etc/passwd", "//a.example/", "", "https://"],
])("where it goes: %s is not asked", async (url) => {
  const dns = { resolve: () => Promise.reject(new Error("the DNS was asked")) }
  expect(await get({ port: 1, dns }, url)).toEqual(failure("url") as never)
})

test.each([
  ..."127.0.0.1 10.1.2.3 169.254.169.254 192.168.1.1 172.16.0.1 100.64.0.1 0.0.0.0".split(" "),
  ..."224.0.0.1 255.255.255.255 ::1 fe80::1 fd00::1 ::ffff:10.0.0.1 64:ff9b::a00:1".split(" "),
])(
  "where it goes: the address %s is refused without tests' permission, also beside a public one",
  async (address) => {
    const own = address.includes(":") ? { AAAA: address } : { A: address }
    const dns = createZoneDns({ [host]: [{ A: "93.184.215.14" }, own] })
    const web = createHttpsClient({ dns, timer: systemTimer })
    expect(await web.get(`https://${host}/`)).toEqual(failure("private-address") as never)
  },
)

test("where it goes: the host is resolved once, and the connection goes to what was checked", async () => {
  // DNS rebinding: the name gives an allowed address first, and another one later.
  const { port } = await serve(replying(ok("x")))
  let asked = 0
  const checked: string[] = []
  const resolve: Dns["resolve"] = async (_name, type) => {
    if (type !== "A") return { kind: "nodata" }
    const records = [asked++ === 0 ? "127.0.0.1" : "127.0.0.99"]
    return { kind: "records", records, messageBytes: 0 } as never
  }
  const allows = (address: string) => checked.push(address) > 0
  expect(await get({ port, dns: { resolve }, allows })).toMatchObject({ kind: "reply" })
  expect({ asked, checked }).toEqual({ asked: 1, checked: ["127.0.0.1"] })
})

test("where it goes: a name without addresses, one whose server fails, and a closed port say so", async () => {
  const none: DnsZone = { [host]: [{ TXT: "x" }] }
  expect(await get({ port: 1, zone: none })).toEqual(failure("no-address") as never)
  expect(await get({ port: 1, zone: {} })).toEqual(failure("no-address") as never)
  expect(await get({ port: 1, zone: { [host]: ["SERVFAIL"] } })).toEqual(failure("dns") as never)
  expect(await get({ port: 1 })).toEqual(failure("unreachable") as never)
})

test("where it goes: a host to which this machine has no route is not called unreachable, and neither is any by one without a network", async () => {
  // A broadcast address, to which the kernel connects nobody.
  const routeless = { A: "255.255.255.255" }
  const zone: DnsZone = { [host]: [routeless], "half.example": [routeless, { A: "127.0.0.1" }] }
  const landmarks = ["255.255.255.255"]
  expect(await get({ port: 1, zone })).toEqual(failure("no-route") as never)
  expect(await get({ port: 1, zone, landmarks })).toEqual(failure("offline") as never)
  // One of its addresses could be asked, and refused.
  const half = await get({ port: 1, zone, landmarks }, "https://half.example/")
  expect(half).toEqual(failure("unreachable") as never)
})

test("where it goes: an address of one family is enough when the DNS fails for the other", async () => {
  const { port } = await serve(replying(ok("x")))
  expect(await get({ port, zone: { [host]: [{ A: "127.0.0.1" }, "TIMEOUT"] } })).toMatchObject({
    kind: "reply",
  })
})

test("a server that sends too much is cut off", async () => {
  const { port } = await serve((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
    socket.write("x".repeat(200_000))
  })
  expect(await get({ port })).toEqual(failure("too-large") as never)
  const exact = await serve(replying(ok("x".repeat(65_536))))
  expect(await get({ port: exact.port })).toMatchObject({ kind: "reply" })
  const over = await serve(replying(ok("x".repeat(65_537))))
  expect(await get({ port: over.port })).toEqual(failure("too-large") as never)
})

test("a server that sends thousands of tiny pieces is cut off", async () => {
  const inPieces = (count: number) => `${"1\r\nx\r\n".repeat(count)}0\r\n\r\n`
  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  const few = await serve(replying(chunked + inPieces(1_000)))
  expect(await get({ port: few.port })).toMatchObject({ kind: "reply" })
  const many = await serve(replying(chunked + inPieces(2_500)))
  expect(await get({ port: many.port })).toEqual(failure("too-large") as never)
})

test.each(beforeStatus)("a server that sends %j without end, and no status, is cut off", async (piece) => {
  const { port } = await serve((socket) => sendEndlessly(socket, piece))
  // Time stands still: without the bound it would be read to its end.
  expect(await get({ port, timer: createManualTimer() })).toEqual(failure("too-large") as never)
})

test("a server that sends endless headers is cut off", async () => {
  const { port } = await serve((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${`X-Long: ${"y".repeat(1_000)}\r\n`.repeat(100)}`)
  })
  expect((await get({ port })).kind).toBe("failure")
})

test.each([
  ["says nothing", ""],
  ["drips its headers", "HTTP/1.1 200 OK\r\nX-Slow: "],
  ["drips its body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12"],
])("a server that %s is given up after 10 seconds in all", async (_, text) => {
  const reached = Promise.withResolvers<void>()
  const { port } = await serve((socket) => {
    if (text !== "") socket.write(text)
    reached.resolve()
  })
  const timer = createManualTimer()
  const answer = get({ port, timer })
  await reached.promise
  expect(timer.waiting).toEqual([10_000])
  timer.advance(10_000)
  expect(await answer).toEqual(failure("timeout") as never)
})

test.each([
  ["ends early", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", "broken"],
  ["ends in its headers", "HTTP/1.1 200 OK\r\nContent-", "broken"],
  ["speaks no HTTP", "220 mail.a.example ESMTP\r\n", "broken"],
])("a server that %s gives no reply", async (_, text, reason) => {
  const { port } = await serve(replying(text))
  expect(await get({ port })).toEqual(failure(reason) as never)
})

test("a server that speaks no TLS gives no reply; it was told the name first", async () => {
  let hello = ""
  const data = (socket: Bun.Socket, sent: Buffer) => {
    hello += sent.toString("latin1")
    socket.end("220 hello\r\n")
  }
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data } })
  servers.push({ close: () => server.stop(true) })
  const answer = await get({ port: server.port })
  expect(answer.kind === "failure" && ["tls", "broken"].includes(answer.reason)).toBe(true)
  // RFC 6066 §3: the name is in the first message, in clear.
  expect(hello).toContain(host)
})

test("many requests of one account take 8 places at most, so that another account is answered", async () => {
  let open = 0
  let most = 0
  const waiting: (() => void)[] = []
  const reached = Promise.withResolvers<void>()
  const { port } = await serve((socket, request) => {
    if (request.includes(" /quick ")) return void socket.end(ok("quick"))
    open++
    most = Math.max(most, open)
    waiting.push(() => {
      open--
      socket.end(ok("slow"))
    })
    if (waiting.length === 8) reached.resolve()
  })
  const web = clientOf({ port })
  const greedy = Array.from({ length: 20 }, (_, n) => web.get(`https://${host}/${n}`, undefined, "greedy"))
  await reached.promise
  expect(await web.get(`https://${host}/quick`, undefined, "modest")).toMatchObject({ kind: "reply" })
  expect(most).toBe(8)
  let answered = 0
  for (const one of greedy) void one.then(() => answered++)
  while (answered < 20) {
    for (const answer of waiting.splice(0)) answer()
    await systemTimer.turn()
  }
  expect(most).toBe(8)
})

test("many requests of one call that gives up fail with 'aborted'", async () => {
  const reached = Promise.withResolvers<void>()
  const { port } = await serve(() => reached.resolve())
  const limit = new AbortController()
  const answer = clientOf({ port }).get(`https://${host}/`, limit.signal)
  await reached.promise
  limit.abort()
  expect(await answer).toEqual(failure("aborted") as never)
})

test("many requests for the same document at the same time are one", async () => {
  const { port, requests } = await serve(replying(ok("x")))
  const web = clientOf({ port })
  const url = `https://${host}/one`
  const kinds = (await Promise.all([web.get(url), web.get(url)])).map(({ kind }) => kind)
  expect(kinds).toEqual(["reply", "reply"])
  expect(requests).toHaveLength(1)
})
