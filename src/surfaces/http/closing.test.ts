import { expect, test } from "bun:test"
import { createManualTimer } from "../../../test/support/timer.ts"
import { createClosing } from "./calls.ts"

/** How long the closing lasts when `requests` come in each step of 50 ms. */
async function lasts(requests: (ms: number) => number): Promise<number> {
  const timer = createManualTimer()
  const closing = createClosing(timer)
  let isOver = false
  closing.begin().then(() => {
    isOver = true
  })
  expect(closing.isBegun).toBe(true)
  for (let ms = 0; ; ms += 50) {
    await new Promise((resolve) => setImmediate(resolve))
    if (isOver) return ms
    closing.requests += requests(ms)
    timer.advance(50)
  }
}

test.each([
  ["after its time", 5_000, () => {}],
  ["as soon as it is told to", 2_000, (end: () => void) => end()],
])("draining ends %s", async (_name, expected, atTwoSeconds) => {
  const timer = createManualTimer()
  const closing = createClosing(timer)
  const { promise: ends, resolve: end } = Promise.withResolvers<void>()
  let isOver = false
  closing.drain(5_000, ends).then(() => {
    isOver = true
  })
  expect(closing.isBegun).toBe(true)
  let ms = 0
  for (; ; ms += 1_000) {
    if (ms === 2_000) atTwoSeconds(end)
    await new Promise((resolve) => setImmediate(resolve))
    if (isOver) break
    timer.advance(1_000)
  }
  expect({ ms, waiting: timer.waiting }).toEqual({ ms: expected, waiting: [] })
})

test.each([
  ["without requests", () => 0, 250],
  ["with a request at the start", (ms: number) => (ms === 0 ? 1 : 0), 500],
  ["with a request now and then", (ms: number) => (ms % 200 === 0 ? 1 : 0), 1_000],
  ["with requests all the time", () => 100, 1_000],
])("%s it ends after %p ms", async (_name, requests, expected) =>
  expect(await lasts(requests)).toBe(expected),
)
