import { afterAll, expect, test } from "bun:test"
import { cert, key } from "../../test/binary/certificate.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import { until } from "../../test/support/until.ts"
import type { Timer } from "../apis/contract.ts"
import { createHttpClient, HttpFailure } from "./http-client.ts"
import { keepAliveTimer } from "./timer.ts"

const client = createHttpClient(keepAliveTimer)
const seen: Request[] = []
const server = Bun.serve({
  port: 0,
  fetch(request) {
    seen.push(request)
    if (request.url.endsWith("/stream")) return new Response(slowStream())
    if (request.url.endsWith("/moved")) return Response.redirect("/stolen", 302)
    return new Response("text", { headers: { "x-one": "1" } })
  },
})
/** Sends a piece and half a letter, then nothing more. */
const slowStream = (): ReadableStream =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(Uint8Array.of(0x61, 0xc3))
      controller.enqueue(Uint8Array.of(0xa9, 0x62))
    },
    cancel: () => cancelled.resolve(),
  })
const cancelled = Promise.withResolvers<void>()

const secure = Bun.serve({ port: 0, tls: { cert, key }, fetch: () => new Response("text") })
const breaking = Bun.listen({
  hostname: "127.0.0.1",
  port: 0,
  socket: { data: (socket) => void socket.end() },
})
const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
afterAll(async () => {
  breaking.stop(true)
  silent.stop(true)
  await Promise.all([server.stop(true), secure.stop(true)])
})

const send = (url: string, limitMs = 10_000) =>
  client.send({ method: "GET", url, headers: { authorization: "Bearer pka-1" }, body: null, limitMs })

test("an answer is read to its end", async () => {
  const { status, headers, text } = await send(`${server.url}one`)
  expect([status, headers.get("x-one"), text]).toEqual([200, "1", "text"])
})

test("a redirect is not followed", async () => {
  expect((await send(`${server.url}moved`)).status).toBe(302)
  expect(seen.filter(({ url }) => url.endsWith("/stolen"))).toEqual([])
})

test.each([
  ["refused", "http://127.0.0.1:1/"],
  ["unknown-host", "http://nowhere.invalid/"],
  ["untrusted", `https://127.0.0.1:${secure.port}/`],
  ["not-tls", `https://127.0.0.1:${server.port}/`],
  ["broken", `http://127.0.0.1:${breaking.port}/`],
])("why there is no answer: %s", async (kind, url) => {
  const thrown = await send(url).catch((cause: unknown) => cause)
  expect(thrown).toBeInstanceOf(HttpFailure)
  expect(thrown).toHaveProperty("kind", kind)
})

test("why there is no answer: timeout", async () => {
  const thrown = await send(`http://127.0.0.1:${silent.port}/`, 1).catch((cause: unknown) => cause)
  expect(thrown).toHaveProperty("kind", "timeout")
})

const open = (path: string, timer: Timer, stop = new AbortController().signal) =>
  createHttpClient(timer).open(
    { method: "GET", url: `${server.url}${path}`, headers: {}, body: null, limitMs: 10_000 },
    stop,
  )

test("an answer that goes on is read while it comes, and ends when it is stopped", async () => {
  const stop = new AbortController()
  const { status, headers, pieces } = await open("stream", keepAliveTimer, stop.signal)
  expect([status, headers.has("date")]).toEqual([200, true])
  const decoder = new TextDecoder()
  let text = ""
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true })
    if (text === "a\u00e9b") stop.abort()
  }
  expect(text).toBe("a\u00e9b")
  await cancelled.promise
})

test("an answer that goes on is broken off when nothing comes for too long", async () => {
  const timer = createManualTimer()
  const { pieces } = await open("stream", timer)
  let isOver = false
  const reading = Array.fromAsync(pieces)
    .catch((cause: unknown) => cause)
    .finally(() => {
      isOver = true
    })
  await until(() => {
    timer.fire()
    return isOver
  })
  const thrown = await reading
  expect(thrown).toBeInstanceOf(HttpFailure)
  expect(thrown).toHaveProperty("kind", "timeout")
})

test("an answer that goes on that never begins is a failure", async () => {
  const url = `http://127.0.0.1:${breaking.port}/`
  const request = { method: "GET", url, headers: {}, body: null, limitMs: 10_000 }
  const thrown = await client.open(request, new AbortController().signal).catch((cause: unknown) => cause)
  expect(thrown).toHaveProperty("kind", "broken")
})
