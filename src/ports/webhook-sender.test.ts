import { afterAll, describe, expect, test } from "bun:test"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { beforeStatus, sendEndlessly } from "../../test/support/endless.ts"
import { hookCert, hookKey } from "../../test/support/hook-certificate.ts"
import { makePipe, tempDir } from "../../test/support/temp.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import { createWebhookSender, type WebhookRequest, type WebhookSenderOptions } from "./webhook-sender.ts"

const received: { method: string; url: string; host: string | null; type: string | null; body: string }[] = []
const plain = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: receive })
const tls = { cert: hookCert, key: hookKey }
const secure = Bun.serve({ hostname: "127.0.0.1", port: 0, tls, fetch: receive })
const reached: (() => void)[] = []
const silent = listen(() => reached.pop()?.())
const bodiless = listen((socket) => {
  socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
  reached.pop()?.()
})
const closing = listen((socket) => socket.end())
const dripping = listen((socket) => {
  socket.write("HTTP/1.1 204 No Content\r\nX-Slow: ")
  reached.pop()?.()
})
const flooding = listen(flood)
afterAll(async () => {
  await Promise.all([plain.stop(true), secure.stop(true)])
  for (const listener of [silent, closing, dripping, bodiless, flooding]) listener.stop(true)
})

async function receive(request: Request): Promise<Response> {
  const { method, url, headers } = request
  const path = new URL(url).pathname
  received.push({
    method,
    url: path,
    host: headers.get("host"),
    type: headers.get("content-type"),
    body: await request.text(),
  })
  if (path === "/moved") return new Response(null, { status: 307, headers: { location: "/elsewhere" } })
  if (path === "/busy") return new Response("later", { status: 429, headers: { "retry-after": "17" } })
  return new Response(null, { status: 204 })
}

/** A TCP server that calls `data` for everything that it is sent. */
function listen(data: (socket: Bun.Socket<undefined>) => unknown) {
  return Bun.listen<undefined>({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void data(socket) },
  })
}

/** Answers 200 with an endless body. */
function flood(socket: Bun.Socket<undefined>): void {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n${"x".repeat(200_000)}`)
}

const post = (url: string, more: Partial<WebhookRequest> = {}): WebhookRequest => ({
  url,
  headers: { "content-type": "application/json" },
  body: '{"ä":1}',
  allows: () => true,
  ...more,
})
const timer = createManualTimer()
const senderWith = (options: Omit<WebhookSenderOptions, "timer"> = {}) =>
  createWebhookSender({ timer, ...options })
const toLoopback = async () => [{ address: "127.0.0.1", family: 4 }]
const host = `hooks.example.test:${plain.port}`
const [byName, byTls] = [`http://${host}/`, `https://hooks.example.test:${secure.port}/`]
const byAddress = (port: number | undefined, path = "/") => post(`http://127.0.0.1:${port}${path}`)

test("what is sent: a POST with body, headers and the URL's own host", async () => {
  const { length } = received
  const sender = senderWith({ resolve: toLoopback })
  expect(await sender.send(post(`${byName}in?a=1`))).toEqual({ status: 204, retryAfter: null })
  expect(received.slice(length)).toEqual([
    { method: "POST", url: "/in", host, type: "application/json", body: '{"ä":1}' },
  ])
})

test("what is sent: the system's resolver and IP literals work", async () => {
  const sender = senderWith()
  for (const host of ["localhost", "127.0.0.1", "2130706433"])
    expect(await sender.send(post(`http://${host}:${plain.port}/`))).toMatchObject({ status: 204 })
})

test("what is sent over TLS the certificate must be the host's, not the address's", async () => {
  const sender = senderWith({ resolve: toLoopback, ca: hookCert })
  expect(await sender.send(post(byTls))).toMatchObject({ status: 204 })
  const refused = (reason: string) => ({ error: expect.stringContaining(reason) })
  const other = post(byTls.replace("hooks", "other"))
  expect(await sender.send(other)).toMatchObject(refused("ERR_TLS_CERT_ALTNAME_INVALID"))
  const distrustful = senderWith({ resolve: toLoopback })
  expect(await distrustful.send(post(byTls))).toMatchObject(refused("SELF_SIGNED"))
})

test("where it goes: a host is resolved once, and the connection goes to what was checked", async () => {
  // DNS rebinding: the name gives an allowed address first, and another one later.
  let lookups = 0
  const resolve = async () => [{ address: lookups++ === 0 ? "127.0.0.1" : "127.0.0.99", family: 4 }]
  const asked: string[] = []
  const allows = (address: string) => asked.push(address) > 0
  const sender = senderWith({ resolve, ca: hookCert })
  expect(await sender.send(post(byTls, { allows }))).toMatchObject({ status: 204 })
  expect({ lookups, asked }).toEqual({ lookups: 1, asked: ["127.0.0.1"] })
})

test("where it goes: a host is resolved also while names that nobody answers keep all threads of the runtime", async () => {
  const pipe = makePipe(join(tempDir(), "pipe"))
  const script = join(import.meta.dir, "../../test/support/send-without-threads.ts")
  const command = [process.execPath, script, pipe, "https://nobody.invalid/"]
  const env = { ...process.env, RES_OPTIONS: "timeout:1 attempts:1" }
  const sending = Bun.spawn(command, { stdout: "pipe", stderr: "ignore", env })
  // That there is no such host, or no DNS, and not that it took too long.
  expect(await sending.stdout.text()).toMatch(/^\{"error":"DNS_\w+: getaddrinfo E\w+"\}\n$/)
  await sending.exited
})

test("where it goes: one refused address among several refuses the host, and nothing is connected to", async () => {
  const { length } = received
  const resolve = async () => ["127.0.0.1", "10.0.0.7"].map((address) => ({ address, family: 4 }))
  const sender = senderWith({ resolve })
  const allows = (address: string) => address !== "10.0.0.7"
  const refusal = (address: string) => ({ error: `${address} is not an address that may be called` })
  expect(await sender.send(post(byName, { allows }))).toEqual(refusal("10.0.0.7"))
  const literal = post(`http://127.0.0.1:${plain.port}/`, { allows: () => false })
  expect(await senderWith().send(literal)).toEqual(refusal("127.0.0.1"))
  expect(received).toHaveLength(length)
})

test("where it goes: a second address serves where the first does not answer", async () => {
  const resolve = async () => ["127.0.0.9", "127.0.0.1"].map((address) => ({ address, family: 4 }))
  const sender = senderWith({ resolve })
  expect(await sender.send(post(byName))).toMatchObject({ status: 204 })
})

test("where it goes: a redirect is an answer, and is not followed", async () => {
  const { length } = received
  const sender = senderWith()
  expect(await sender.send(byAddress(plain.port, "/moved"))).toMatchObject({ status: 307 })
  expect(received.slice(length).map(({ url }) => url)).toEqual(["/moved"])
})

describe("what comes back", () => {
  const sender = senderWith()

  test("Retry-After is passed on", async () =>
    expect(await sender.send(byAddress(plain.port, "/busy"))).toEqual({ status: 429, retryAfter: "17" }))

  test.each([
    ["http", silent.port],
    ["https", silent.port],
    ["http", dripping.port],
  ])("over %s, a receiver that never finishes its head ends at the limit", async (scheme, port) => {
    const isReached = new Promise<void>((resolve) => reached.push(resolve))
    const answer = sender.send(post(`${scheme}://127.0.0.1:${port}/`))
    await isReached
    timer.advance(10_000)
    expect(await answer).toEqual({ error: "no answer within 10 s" })
  })

  test("a resolver that never answers ends at the limit too", async () => {
    const stuck = senderWith({ resolve: () => new Promise(() => {}) })
    const answer = stuck.send(post("https://hooks.example.test/"))
    timer.advance(10_000)
    expect(await answer).toEqual({ error: "no answer within 10 s" })
  })

  test("a body that stops halfway ends at the limit, and the status counts", async () => {
    const isReached = new Promise<void>((resolve) => reached.push(resolve))
    const answer = sender.send(byAddress(bodiless.port))
    await isReached
    for (let turn = 0; turn < 10; turn++) await timer.turn()
    timer.advance(10_000)
    expect(await answer).toMatchObject({ status: 200 })
  })

  test("a limit that is reached while the host is resolved sends nothing", async () => {
    const { length } = received
    const resolve = async () => {
      timer.advance(10_000)
      return toLoopback()
    }
    const late = senderWith({ resolve })
    expect(await late.send(post(byName))).toEqual({ error: "no answer within 10 s" })
    expect(received).toHaveLength(length)
  })

  test("an endless body does not change the status, and is not read", async () => {
    // Time stands still, so without the bound on the body this would not end.
    expect(await sender.send(byAddress(flooding.port))).toMatchObject({ status: 200 })
  })

  test.each(beforeStatus)(
    "a receiver that sends %j without end, and no status, is cut off",
    async (piece) => {
      const server = createServer((socket) => {
        socket.on("error", () => {})
        socket.once("data", () => sendEndlessly(socket, piece))
      })
      const { promise: listening, resolve } = Promise.withResolvers<void>()
      server.listen(0, "127.0.0.1", resolve)
      await listening
      const { port } = server.address() as AddressInfo
      // Time stands still: without the bound it would be read to its end.
      expect(await sender.send(byAddress(port))).toEqual({ error: "the answer is too long" })
      server.close()
    },
  )

  test("a closed port, a closed connection or a name without address is an error in few words", async () => {
    const closed = expect.stringMatching(/closed|hang up|ECONNRESET/)
    expect(await sender.send(byAddress(closing.port))).toEqual({ error: closed })
    expect(await sender.send(byAddress(1))).toEqual({ error: "connect ECONNREFUSED 127.0.0.1:1" })
    const unknown = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" })
    const refused = async (resolve: () => ReturnType<typeof toLoopback>) =>
      senderWith({ resolve }).send(post(byTls))
    expect(await refused(() => Promise.reject(unknown))).toEqual({ error: "getaddrinfo ENOTFOUND" })
    expect(await refused(async () => [])).toEqual({ error: "the host has no address" })
  })
})

test("no timer is left behind", () => expect(timer.waiting).toEqual([]))
