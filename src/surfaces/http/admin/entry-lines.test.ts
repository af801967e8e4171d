import { expect, test } from "bun:test"
import { createManualTimer } from "../../../../test/support/timer.ts"
import { createScheduler } from "../../../call/scheduler.ts"
import { createUnsentAnswers } from "../../../call/unsent.ts"
import { systemTimer } from "../../../ports/timer.ts"
import { createCallsInProgress } from "../calls.ts"
import type { HttpContext } from "../frame.ts"
import { jsonLines, streamEntries } from "./entry-lines.ts"

const pages = 40
const pageMs = 6

/** A list whose pages take time and no waiting, as those of a data file do. */
function setUp() {
  let monotonic = 0
  const clock = { now: () => 0, monotonicMs: () => monotonic }
  const scheduler = createScheduler({ clock, timer: systemTimer })
  const read: number[] = []
  const calls = createCallsInProgress()
  const unsent = createUnsentAnswers(1_000, () => {})
  const page = (number: number) => ({ data: [number], next: number < pages ? `${number}` : null })
  const stream = streamEntries(
    page(1),
    { kind: "typed", values: {} },
    async (raw) => {
      const number = Number(raw.kind === "typed" && raw.values.after) + 1
      monotonic += pageMs
      read.push(number)
      return page(number)
    },
    jsonLines,
    { calls, pipeline: { unsent, ports: { timer: createManualTimer() } } } as unknown as HttpContext,
    () => scheduler.giveWay("adm_1"),
  )
  return { stream, read, calls, unsent }
}

test("a long list lets other requests in between its pages", async () => {
  const { stream, read } = setUp()
  const text = new Response(stream).text()
  const readInTurns: number[] = []
  for (let before = 0; read.length < pages - 1; ) {
    await systemTimer.turn()
    readInTurns.push(read.length - before)
    before = read.length
  }
  expect((await text).split("\n")).toHaveLength(pages + 1)
  // A slice of 10 ms, and one page more.
  expect(Math.max(...readInTurns)).toBeLessThanOrEqual(3)
})

test("the page that its client has not read is counted, until the client has left", async () => {
  const { stream, calls, unsent } = setUp()
  const reader = stream.getReader()
  expect((await reader.read()).value).toHaveLength(2)
  expect([unsent.bytes(), calls.count]).toEqual([2, 1])
  void reader.read()
  await reader.cancel()
  expect([unsent.bytes(), calls.count]).toEqual([0, 0])
})
