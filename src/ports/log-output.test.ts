import { describe, expect, test } from "bun:test"
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { makePipe, tempDir } from "../../test/support/temp.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import { until } from "../../test/support/until.ts"
import { escapeHiddenInJson } from "../values/hidden-characters.ts"
import { createLog } from "./log.ts"
import { loadPrettyFormat, openLogOutput } from "./log-output.ts"

const dir = tempDir()
let pipes = 0

/** An output into a named pipe, which holds 64 KB until the test reads it. */
function setUp({ shared = false } = {}) {
  const path = makePipe(join(dir, `pipe-${pipes++}`))
  const openReader = () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  let reader = openReader()
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  const timer = createManualTimer()
  const output = openLogOutput({ timer, descriptor, shared })
  const buffer = Buffer.alloc(1 << 20)
  // A read may end within a character, so bytes are gathered.
  const received: Buffer[] = []
  return {
    descriptor,
    output,
    timer,
    /** Reads what the pipe holds; returns all that was read so far. */
    read() {
      try {
        received.push(Buffer.from(buffer.subarray(0, readSync(reader, buffer, 0, buffer.length, null))))
      } catch (thrown) {
        if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EAGAIN")) throw thrown
      }
      return Buffer.concat(received).toString()
    },
    closeReader: () => closeSync(reader),
    /** The library closes the descriptor later. Its number would by then belong to what another test has opened. */
    untilClosed: () =>
      until(() => {
        try {
          return !fstatSync(descriptor)
        } catch {
          return true
        }
      }),
    reopenReader() {
      reader = openReader()
    },
  }
}

const linesOf = (count: number, text = "x".repeat(299)) =>
  Array.from({ length: count }, (_, index) => `${index} ${text}\n`)

describe.skipIf(process.platform === "win32")("the log's output", () => {
  test("gathers lines for 100 ms and writes them together", async () => {
    const { output, timer, read } = setUp()
    output.write("a\n")
    output.write("b\n")
    expect(timer.waiting).toEqual([100])
    expect(read()).toBe("")
    timer.advance(100)
    await until(() => read() === "a\nb\n")
    expect(timer.waiting).toEqual([])
  })

  test("writes at once when asked to", async () => {
    const { output, timer, read } = setUp()
    output.write("error\n")
    output.flush()
    await until(() => read() === "error\n")
    expect(timer.waiting).toEqual([])
  })

  test("loses, doubles and reorders nothing while a slow reader reads, and goes on when the pipe was full", async () => {
    const { output, timer, read } = setUp()
    const lines = [...linesOf(2_000), `${"ä".repeat(40_000)}\n`, ...linesOf(100, "ö€😀".repeat(20))]
    for (const line of lines) output.write(line)
    await timer.asked()
    await until(() => {
      timer.fire()
      return read().length === lines.join("").length
    })
    expect(read()).toBe(lines.join(""))
    expect(output.dropped()).toBe(0)
  })

  test("writes whole lines of at most 4,096 bytes at a time where others write too", async () => {
    const { output, timer, read } = setUp({ shared: true })
    // A pipe counts in pages of 4,096 bytes. After this line larger pieces would not fill it exactly.
    output.write(`${"x".repeat(3_000)}\n`)
    output.flush()
    for (const line of linesOf(1_000, "ä".repeat(150))) output.write(line)
    timer.fire()
    // It waits again when the pipe is full. A larger write would then have been cut in the middle of a line.
    await until(() => timer.waiting.length > 0)
    expect(Buffer.byteLength(read())).toBeGreaterThan(50_000)
    expect(read()).toEndWith("ä\n")
  })

  test("keeps 8 MB for a reader that does not read, and drops and counts the lines above that", async () => {
    const { output, timer, read } = setUp()
    const lines = linesOf(40_000)
    for (const line of lines) output.write(line)
    // The lines that are still gathered may be dropped too.
    output.flush()
    const dropped = output.dropped()
    expect(dropped).toBeGreaterThan(10_000)
    expect(dropped).toBeLessThan(13_000)
    const expectedLength = lines.slice(0, lines.length - dropped).join("").length
    await until(() => {
      timer.fire()
      return read().length >= expectedLength
    })
    expect(read().split("\n").length - 1).toBe(lines.length - dropped)
    for (const line of read().trimEnd().split("\n")) expect(line).toMatch(/^\d+ x{299}$/)
  })

  test("closing writes everything; later lines are ignored", async () => {
    const { output, timer, read, untilClosed } = setUp()
    const lines = linesOf(100)
    for (const line of lines) output.write(line)
    await output.close()
    await untilClosed()
    output.write("late\n")
    expect(read()).toBe(lines.join(""))
    expect(timer.waiting).toEqual([])
  })

  test("closing waits one second for a reader that does not read", async () => {
    const { output, timer, untilClosed } = setUp()
    for (const line of linesOf(1_000)) output.write(line)
    let isClosed = false
    const closed = output.close().then(() => {
      isClosed = true
    })
    timer.advance(999)
    await timer.turn()
    expect(isClosed).toBe(false)
    timer.advance(1)
    await closed
    expect(timer.waiting).toEqual([])
    await untilClosed()
  })

  // In a process of its own, with the pipe as its standard error, as the service has it. The library closes other descriptors.
  test("after the reader has gone, writing and closing still work, and a new reader gets new lines", async () => {
    const { descriptor, read, closeReader, reopenReader } = setUp()
    const program = `
      const { openLogOutput } = await import(${JSON.stringify(join(import.meta.dir, "log-output.ts"))})
      const { keepAliveTimer } = await import(${JSON.stringify(join(import.meta.dir, "timer.ts"))})
      const output = openLogOutput({ timer: keepAliveTimer })
      for await (const command of console) {
        if (command === "close") break
        output.write("x".repeat(299) + command + "\\n")
        output.flush()
        await keepAliveTimer.turn()
        console.log(command)
      }
      await output.close()
      console.log("closed")`
    const child = Bun.spawn([process.execPath, "-e", program], { stdio: ["pipe", "pipe", descriptor] })
    closeSync(descriptor)
    const said = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
    const ask = async (command: string) => {
      child.stdin.write(`${command}\n`)
      await child.stdin.flush()
      return (await said.read()).value
    }
    expect(await ask("begun")).toBe("begun\n")
    await until(() => read().endsWith("begun\n"))
    closeReader()
    for (let line = 0; line < 100; line++) expect(await ask("gone")).toBe("gone\n")
    reopenReader()
    for (let line = 0; line < 1_000 && !read().endsWith("back\n"); line++)
      expect(await ask("back")).toBe("back\n")
    expect(read()).toEndWith("back\n")
    closeReader()
    await ask("gone again")
    expect(await ask("close")).toBe("closed\n")
    expect(await child.exited).toBe(0)
  })
})

const clock = { now: () => Date.UTC(2025, 0, 1, 12, 30, 1, 2), monotonicMs: () => 0 }
const pretty = await loadPrettyFormat({ color: false })
const toReadable = (line: string) => escapeHiddenInJson(pretty(line))

function lineOf(fields: Record<string, unknown>, message = "request"): string {
  const lines: string[] = []
  createLog((line) => lines.push(line), { clock }).info(message, fields)
  expect(lines).toHaveLength(1)
  return escapeHiddenInJson(lines[0] ?? "")
}

test("JSON: level, time, the fields as they are, message", () =>
  expect(lineOf({ requestId: "r1", status: 200 })).toBe(
    '{"level":"info","time":"2025-01-01T12:30:01.002Z","requestId":"r1","status":200,"message":"request"}\n',
  ))

test("for people: time, level, message and the fields on one line", async () => {
  const line = lineOf({ requestId: "r1", status: 200, key: null, reason: 'no "answer"' })
  expect(toReadable(line)).toBe(
    '[12:30:01.002] INFO: request {"requestId":"r1","status":200,"key":null,"reason":"no \\"answer\\""}\n',
  )
  expect(toReadable(lineOf({}))).toBe("[12:30:01.002] INFO: request\n")
  expect((await loadPrettyFormat({ color: true }))(line)).toContain("\u001b[32mINFO\u001b[39m")
})

test("for people: a stack follows on indented lines", () =>
  expect(toReadable(lineOf({ requestId: "r1", cause: "Error: x\n    at a (b:1:2)" }))).toBe(
    '[12:30:01.002] INFO: request {"requestId":"r1"}\n    cause: Error: x\n        at a (b:1:2)\n',
  ))

test.each([
  'x\n{"level":"error","message":"forged"}',
  "x\r\n[12:00:00.000] ERROR: forged",
  "x\r[12:00:00.000] ERROR: forged",
  "\u001b[2J\u001b[H[12:00:00.000] ERROR: forged",
  "x\u0085 [12:00:00.000] ERROR: forged",
  "x\u009b2J\u007f\u2028[12:00:00.000] ERROR: forged\u2029ä",
  "x\u202e\u2066 degrof :egassem\u2069\u061c\u200f",
  'x" level=error message="forged',
])("text from outside such as %j neither forges a line nor moves the cursor", (evil) => {
  for (const fields of [{ address: evil }, { cause: evil }, { nested: { evil } }, { [evil]: 1 }]) {
    const json = lineOf(fields, evil)
    expect(json.indexOf("\n")).toBe(json.length - 1)
    expect(json.trimEnd()).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069\u061c\u200e\u200f]/u)
    const base = { level: "info", time: "2025-01-01T12:30:01.002Z" }
    expect(JSON.parse(json)).toEqual({ ...base, ...fields, message: evil })
    const readable = toReadable(json)
    // Only the first line begins as a line begins.
    expect(readable.split("\n").filter((line) => /^\S/.test(line))).toHaveLength(1)
    expect(readable.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069\u061c\u200e\u200f]/u)
    expect(readable).not.toMatch(/^\[\S+ ERROR/m)
  }
})
