import { expect, test } from "bun:test"
import { createManualTimer } from "../../test/support/timer.ts"
import { createLogSink, type LogSinkOptions } from "./log-sink.ts"

function setUp(options: Partial<LogSinkOptions> = {}) {
  const timer = createManualTimer()
  const pieces: string[] = []
  const waiting: (() => void)[] = []
  const sink = createLogSink(
    (piece, done) => {
      pieces.push(new TextDecoder().decode(piece))
      waiting.push(done)
    },
    { timer, ...options },
  )
  return { sink, timer, pieces, finish: () => waiting.shift()?.() }
}

test("lines wait for each other and leave in one piece", () => {
  const { sink, timer, pieces } = setUp()
  sink.write("a\n")
  sink.write("b\n")
  expect(pieces).toEqual([])
  expect(timer.waiting).toHaveLength(1)
  timer.fire()
  expect(pieces).toEqual(["a\nb\n"])
})

test("one piece is on its way at a time; what comes meanwhile follows", () => {
  const { sink, timer, pieces, finish } = setUp()
  sink.write("a\n")
  sink.flush()
  sink.write("b\n")
  sink.flush()
  expect(pieces).toEqual(["a\n"])
  finish()
  timer.fire()
  expect(pieces).toEqual(["a\n", "b\n"])
})

test("no piece is over its size, no line is torn, none is lost or doubled", () => {
  const { sink, pieces, finish } = setUp({ pieceBytes: 64 })
  const lines = Array.from({ length: 50 }, (_, index) => `${index} ${"ä".repeat(index % 12)}\n`)
  for (const line of lines) sink.write(line)
  sink.flush()
  for (let left = 0; left < pieces.length; left++) finish()
  sink.flush()
  expect(pieces.join("")).toBe(lines.join(""))
  for (const piece of pieces) {
    expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(64)
    expect(piece).toEndWith("\n")
  }
})

test("a line longer than a piece goes by itself, in its place", () => {
  const { sink, pieces, finish } = setUp({ pieceBytes: 64 })
  const long = `${"x".repeat(200)}\n`
  sink.write("a\n")
  sink.write(long)
  sink.write("b\n")
  for (let turn = 0; turn < 3; turn++) {
    sink.flush()
    finish()
  }
  expect(pieces).toEqual(["a\n", long, "b\n"])
})

test("a reader who does not keep up costs 8 MB and then lines, which are counted", () => {
  const { sink, pieces } = setUp()
  const line = `${"x".repeat(999)}\n`
  for (let count = 0; count < 20_000; count++) sink.write(line)
  expect(pieces).toHaveLength(1)
  expect(sink.dropped()).toBeGreaterThan(10_000)
  expect(sink.dropped()).toBeLessThan(12_000)
})

test("closing waits until the last line is out, or for a second", async () => {
  const { sink, timer, pieces, finish } = setUp()
  sink.write("a\n")
  sink.flush()
  sink.write("b\n")
  let closed = false
  const closing = sink.close().then(() => {
    closed = true
  })
  finish()
  await Promise.resolve()
  expect({ closed, pieces }).toEqual({ closed: false, pieces: ["a\n", "b\n"] })
  finish()
  await closing

  const stuck = setUp()
  stuck.sink.write("a\n")
  const given = stuck.sink.close()
  stuck.timer.fire()
  await given
  expect(timer.waiting).toEqual([])
})

test("controls that JSON leaves alone do not reach a terminal", () => {
  const { sink, pieces } = setUp()
  sink.write('{"a":"\u009b2J\u007f\u2028\u2029ä"}\n')
  sink.flush()
  expect(pieces).toEqual(['{"a":"\\u009b2J\\u007f\\u2028\\u2029ä"}\n'])
})
