import { expect, test } from "bun:test"
import { noExchange } from "../../../test/support/dns.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import { createScheduler } from "../../call/scheduler.ts"
import { createUnsentAnswers } from "../../call/unsent.ts"
import { systemClock } from "../../ports/clock.ts"
import { systemRandom } from "../../ports/random.ts"
import { webOff } from "../../ports/web/fixed-web.ts"
import { createCallsInProgress } from "./calls.ts"
import { readAnswer, toLiveStream } from "./mcp-answer.ts"

const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`
const result = event({ jsonrpc: "2.0", id: 1, result: {} })
const notice = event({ jsonrpc: "2.0", method: "notifications/progress", params: {} })

/** The answer of an MCP server as an event stream of `pieces`, which then stays open. */
function openStream(pieces: readonly string[]) {
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
    },
    cancel() {
      isCancelled = true
    },
  })
  const response = new Response(body, { headers: { "content-type": "text/event-stream" } })
  return { response, isCancelled: () => isCancelled }
}

/** The stream as its client gets it, with what is counted of it. */
async function live(response: Response) {
  const answer = await readAnswer(response)
  if (!("rest" in answer)) throw new Error("the stream was read whole")
  const timer = createManualTimer()
  const calls = createCallsInProgress()
  const unsent = createUnsentAnswers(1_000, () => {})
  let finished = 0
  const finish = async () => {
    finished++
  }
  const dns = { resolve: () => Promise.reject(), exchange: noExchange }
  const ports = { clock: systemClock, random: systemRandom, timer, dns, web: webOff }
  const pipeline = { unsent, ports, scheduler: createScheduler(ports) }
  const reader = toLiveStream(answer, finish, { pipeline, calls }).getReader()
  return { reader, timer, calls, unsent, finished: () => finished }
}

test.each([
  ["JSON", Response.json({ a: 1 }), '{"a":1}'],
  ["nothing", new Response(null, { status: 202 }), ""],
  [
    "an event stream that is the answer",
    new Response(result, { headers: { "content-type": "text/event-stream" } }),
    result,
  ],
])("%s is read whole", async (_, response, text) => expect(await readAnswer(response)).toEqual({ text }))

test.each([notice, ": keepalive\n\n"])("a stream that begins with %j goes on as it comes", async (first) => {
  const { response } = openStream([first, result])
  const { reader, timer, calls, unsent, finished } = await live(response)
  const texts = []
  for (let piece = 0; piece < 2; piece++) texts.push(new TextDecoder().decode((await reader.read()).value))
  expect(texts).toEqual([first, result])
  // Its client waits for what is still to come, however long that takes.
  const next = reader.read()
  await new Promise((resolve) => setImmediate(resolve))
  timer.advance(3_600_000)
  expect([unsent.bytes(), calls.count, finished()]).toEqual([0, 1, 0])
  await reader.cancel()
  expect(await next).toMatchObject({ done: true })
})

test("a client that hangs up ends the stream, which is recorded once", async () => {
  const { response, isCancelled } = openStream([notice])
  const { reader, calls, unsent, finished } = await live(response)
  await reader.read()
  await reader.cancel()
  expect([isCancelled(), finished(), calls.count, unsent.bytes()]).toEqual([true, 1, 0, 0])
})

test("a client that reads nothing for 20 s is cut off", async () => {
  const { response, isCancelled } = openStream([notice, notice])
  const { reader, timer, calls, finished } = await live(response)
  await reader.read()
  reader.closed.catch(() => {})
  timer.advance(20_000)
  await expect(reader.read()).rejects.toThrow("does not read")
  expect([isCancelled(), finished(), calls.count]).toEqual([true, 1, 0])
})
