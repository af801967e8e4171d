import { expect, test } from "bun:test"
import { createLog } from "./log.ts"
import { toReadable } from "./log-text.ts"

const clock = { now: () => Date.UTC(2025, 0, 1, 12, 30, 1, 2), monotonicMs: () => 0 }

function lineOf(fields: Record<string, unknown>, message = "request"): string {
  const lines: string[] = []
  createLog((line) => lines.push(line), { clock }).info(message, fields)
  expect(lines).toHaveLength(1)
  return lines[0] ?? ""
}

test("JSON: level, time, the fields as they are, message", () => {
  expect(lineOf({ requestId: "r1", status: 200 })).toBe(
    '{"level":"info","time":"2025-01-01T12:30:01.002Z","requestId":"r1","status":200,"message":"request"}\n',
  )
})

test("readable: one line, values that could be taken for more are quoted", () => {
  const line = lineOf({
    requestId: "r1",
    status: 200,
    key: null,
    reason: 'no "answer" a=b',
    apis: ["a", "b"],
  })
  expect(toReadable(line, { color: false })).toBe(
    '12:30:01.002 info  request requestId=r1 status=200 key=null reason="no \\"answer\\" a=b" apis=["a","b"]\n',
  )
  expect(toReadable(line, { color: true })).toContain("\u001b[32minfo \u001b[0m")
})

test("a stack follows indented", () => {
  const text = toReadable(lineOf({ requestId: "r1", cause: "Error: x\n    at a (b:1:2)" }), { color: false })
  expect(text).toBe("12:30:01.002 info  request requestId=r1\n  cause:\n    Error: x\n        at a (b:1:2)\n")
})

test.each([
  'x\n{"level":"error","message":"forged"}',
  "x\r\n12:00:00.000 error forged",
  "x\r12:00:00.000 error forged",
  "\u001b[2J\u001b[H12:00:00.000 error forged",
  "x\u0085 12:00:00.000 error forged",
  'x" level=error message="forged',
])("text from outside such as %j forges no line in either form", (evil) => {
  for (const fields of [{ address: evil }, { nested: { evil } }, { [evil]: 1 }]) {
    const json = lineOf(fields, evil)
    expect(json.indexOf("\n")).toBe(json.length - 1)
    expect(JSON.parse(json)).toEqual({
      level: "info",
      time: "2025-01-01T12:30:01.002Z",
      ...fields,
      message: evil,
    })
    const readable = toReadable(json, { color: false })
    // No other line begins as a line begins, and nothing moves the cursor.
    expect(readable.split("\n").filter((line) => /^\S/.test(line))).toHaveLength(1)
    expect(readable.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
    expect(readable).not.toMatch(/^\d\S+ error/m)
  }
})
