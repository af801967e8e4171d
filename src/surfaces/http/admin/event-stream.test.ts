import { expect, test } from "bun:test"
import { createManualTimer } from "../../../../test/support/timer.ts"
import type { Subscription } from "../../../admin/parts.ts"
import type { HttpContext } from "../frame.ts"
import { streamEvents } from "./event-stream.ts"

/** A stream over a source that the test controls. */
function setUp() {
  const timer = createManualTimer()
  const calls = { count: 0, awaited: 0, begin: () => calls.count++, end: () => calls.count-- }
  const source = { events: [] as object[], lost: 0, takes: 0, isOver: false, ends: 0, onReady: () => {} }
  const subscription: Subscription = {
    take() {
      source.takes++
      const { events, lost } = source
      Object.assign(source, { events: [], lost: 0 })
      return { events, lost }
    },
    get isOver() {
      return source.isOver
    },
    end() {
      source.ends++
      source.isOver = true
    },
  }
  let isAllowed = true
  const context = { calls, pipeline: { ports: { timer } } } as unknown as HttpContext
  const stream = streamEvents(
    (onReady) => {
      source.onReady = onReady
      return subscription
    },
    async () => isAllowed,
    context,
  )
  const reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel"> = stream.getReader()
  return {
    timer,
    calls,
    source,
    reader,
    forbid: () => {
      isAllowed = false
    },
    async read() {
      const { value } = await reader.read()
      return value && new TextDecoder().decode(value)
    },
  }
}

test("nothing is taken from the source before the client has read what came before", async () => {
  const { source, read } = setUp()
  expect(await read()).toBe("retry: 2000\n: watching\n\n")
  const { takes } = source
  for (let count = 1; count <= 100; count++) {
    source.events.push({ count })
    source.onReady()
  }
  source.lost = 7
  await new Promise((resolve) => setImmediate(resolve))
  expect(source.takes).toBe(takes)
  const text = (await read()) ?? ""
  expect(text.match(/^data: \{"count":\d+\}$/gm)?.length).toBe(101)
  expect(text).toStartWith('data: {"count":1}\n\n')
  expect(text).toEndWith('event: lost\ndata: {"count":7}\n\n')
})

test("each 15 s there is a sign of life, until the caller may no longer watch", async () => {
  const { timer, source, calls, read, forbid } = setUp()
  await read()
  for (let beats = 0; beats < 3; beats++) {
    expect(timer.waiting).toEqual([15_000])
    timer.advance(15_000)
    expect(await read()).toBe(": still here\n\n")
  }
  forbid()
  timer.advance(15_000)
  expect(await read()).toBe('event: end\ndata: {"reason":"not-allowed"}\n\n')
  expect(await read()).toBeUndefined()
  expect([timer.waiting, source.ends, calls]).toMatchObject([[], 1, { count: 0, awaited: 0 }])
})

test("the end of the source ends the stream", async () => {
  const { source, calls, read } = setUp()
  await read()
  const last = read()
  source.events.push({ last: true })
  source.isOver = true
  source.onReady()
  expect(await last).toBe('data: {"last":true}\n\nevent: end\ndata: {"reason":"closing"}\n\n')
  expect(await read()).toBeUndefined()
  expect(calls.count).toBe(0)
})

test("a client that goes ends the watch, while it waits and before", async () => {
  const waiting = setUp()
  await waiting.read()
  const read = waiting.read()
  await waiting.reader.cancel()
  expect(await read).toBeUndefined()
  const early = setUp()
  await early.reader.cancel()
  for (const { source, timer, calls } of [waiting, early])
    expect([source.ends, timer.waiting, calls]).toMatchObject([1, [], { count: 0, awaited: 0 }])
})
