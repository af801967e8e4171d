import { afterAll, describe, expect, test } from "bun:test"
import { hookCert, hookKey } from "../../test/support/hook-certificate.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import { createWebhookSender, type WebhookRequest, type WebhookSenderOptions } from "./webhook-sender.ts"

const received: { method: string; url: string; host: string | null; type: string | null; body: string }[] = []
const plain = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: receive })
const secure = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  tls: { cert: hookCert, key: hookKey },
  fetch: receive,
})
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

describe("what is sent", () => {
  test("a POST with body, headers and the URL's own host", async () => {
    const { length } = received
    const sender = senderWith({ resolve: toLoopback })
    expect(await sender.send(post(`http://hooks.example.test:${plain.port}/in?a=1`))).toEqual({
      status: 204,
      retryAfter: null,
    })
    expect(received.slice(length)).toEqual([
      {
        method: "POST",
        url: "/in",
        host: `hooks.example.test:${plain.port}`,
        type: "application/json",
        body: '{"ä":1}',
      },
    ])
  })

  test("the system's resolver and IP literals work", async () => {
    const sender = senderWith()
    for (const host of ["localhost", "127.0.0.1", "2130706433"])
      expect(await sender.send(post(`http://${host}:${plain.port}/`))).toMatchObject({ status: 204 })
  })

  test("over TLS the certificate must be the host's, not the address's", async () => {
    const sender = senderWith({ resolve: toLoopback, ca: hookCert })
    expect(await sender.send(post(`https://hooks.example.test:${secure.port}/`))).toMatchObject({
      status: 204,
    })
    expect(await sender.send(post(`https://other.example.test:${secure.port}/`))).toMatchObject({
      error: expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID"),
    })
    const distrustful = senderWith({ resolve: toLoopback })
    expect(await distrustful.send(post(`https://hooks.example.test:${secure.port}/`))).toMatchObject({
      error: expect.stringContaining("SELF_SIGNED"),
    })
  })
})

describe("where it goes", () => {
  test("a host is resolved once, and the connection goes to what was checked", async () => {
    // DNS rebinding: the name gives an allowed address first, and another one later.
    let lookups = 0
    const resolve = async () => [{ address: lookups++ === 0 ? "127.0.0.1" : "127.0.0.99", family: 4 }]
    const asked: string[] = []
    const allows = (address: string) => asked.push(address) > 0
    const sender = senderWith({ resolve, ca: hookCert })
    expect(await sender.send(post(`https://hooks.example.test:${secure.port}/`, { allows }))).toMatchObject({
      status: 204,
    })
    expect({ lookups, asked }).toEqual({ lookups: 1, asked: ["127.0.0.1"] })
  })

  test("one refused address among several refuses the host, and nothing is connected to", async () => {
    const { length } = received
    const resolve = async () => ["127.0.0.1", "10.0.0.7"].map((address) => ({ address, family: 4 }))
    const sender = senderWith({ resolve })
    const allows = (address: string) => address !== "10.0.0.7"
    expect(await sender.send(post(`http://hooks.example.test:${plain.port}/`, { allows }))).toEqual({
      error: "10.0.0.7 is not an address that may be called",
    })
    const literal = post(`http://127.0.0.1:${plain.port}/`, { allows: () => false })
    expect(await senderWith().send(literal)).toEqual({
      error: "127.0.0.1 is not an address that may be called",
    })
    expect(received).toHaveLength(length)
  })

  test("a second address serves where the first does not answer", async () => {
    const resolve = async () => ["127.0.0.9", "127.0.0.1"].map((address) => ({ address, family: 4 }))
    const sender = senderWith({ resolve })
    expect(await sender.send(post(`http://hooks.example.test:${plain.port}/`))).toMatchObject({ status: 204 })
  })

  test("a redirect is an answer, and is not followed", async () => {
    const { length } = received
    const sender = senderWith()
    expect(await sender.send(post(`http://127.0.0.1:${plain.port}/moved`))).toMatchObject({ status: 307 })
    expect(received.slice(length).map(({ url }) => url)).toEqual(["/moved"])
  })
})

describe("what comes back", () => {
  const sender = senderWith()

  test("Retry-After is passed on", async () =>
    expect(await sender.send(post(`http://127.0.0.1:${plain.port}/busy`))).toEqual({
      status: 429,
      retryAfter: "17",
    }))

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
    const answer = sender.send(post(`http://127.0.0.1:${bodiless.port}/`))
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
    expect(await late.send(post(`http://hooks.example.test:${plain.port}/`))).toEqual({
      error: "no answer within 10 s",
    })
    expect(received).toHaveLength(length)
  })

  test("an endless body does not change the status, and is not read", async () => {
    // Time stands still, so without the bound on the body this would not end.
    expect(await sender.send(post(`http://127.0.0.1:${flooding.port}/`))).toMatchObject({ status: 200 })
  })

  test("a closed port, a closed connection or a name without address is an error in few words", async () => {
    expect(await sender.send(post(`http://127.0.0.1:${closing.port}/`))).toEqual({
      error: expect.stringMatching(/closed|hang up|ECONNRESET/),
    })
    expect(await sender.send(post("http://127.0.0.1:1/"))).toEqual({
      error: "connect ECONNREFUSED 127.0.0.1:1",
    })
    const unknown = senderWith({
      resolve: () => Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" })),
    })
    expect(await unknown.send(post("https://hooks.example.test/"))).toEqual({
      error: "getaddrinfo ENOTFOUND",
    })
    const nowhere = senderWith({ resolve: async () => [] })
    expect(await nowhere.send(post("https://hooks.example.test/"))).toEqual({
      error: "the host has no address",
    })
  })
})

test("no timer is left behind", () => expect(timer.waiting).toEqual([]))
