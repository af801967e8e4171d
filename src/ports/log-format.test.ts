import { expect, test } from "bun:test"
import { escapeHiddenInJson } from "../values/hidden-characters.ts"
import { createLog } from "./log.ts"
import { loadPrettyFormat } from "./log-format.ts"

const clock = { now: () => Date.UTC(2025, 0, 1, 12, 30, 1, 2), monotonicMs: () => 0 }
const pretty = await loadPrettyFormat({ color: false })
const toReadable = (line: string) => escapeHiddenInJson(pretty(line))

function lineOf(fields: Record<string, unknown>, message = "request"): string {
  const lines: string[] = []
  createLog((line) => lines.push(line), { clock }).info(message, fields)
  expect(lines).toHaveLength(1)
  return escapeHiddenInJson(lines[0] ?? "")
}

test("JSON: level, time, the fields as they are, message", () => {
  expect(lineOf({ requestId: "r1", status: 200 })).toBe(
    '{"level":"info","time":"2025-01-01T12:30:01.002Z","requestId":"r1","status":200,"message":"request"}\n',
  )
})

test("for people: time, level, message and the fields on one line", async () => {
  const line = lineOf({ requestId: "r1", status: 200, key: null, reason: 'no "answer"' })
  expect(toReadable(line)).toBe(
    '[12:30:01.002] INFO: request {"requestId":"r1","status":200,"key":null,"reason":"no \\"answer\\""}\n',
  )
  expect(toReadable(lineOf({}))).toBe("[12:30:01.002] INFO: request\n")
  expect((await loadPrettyFormat({ color: true }))(line)).toContain("\u001b[32mINFO\u001b[39m")
})

test("for people: a stack follows on indented lines", () => {
  expect(toReadable(lineOf({ requestId: "r1", cause: "Error: x\n    at a (b:1:2)" }))).toBe(
    '[12:30:01.002] INFO: request {"requestId":"r1"}\n    cause: Error: x\n        at a (b:1:2)\n',
  )
})

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
    expect(JSON.parse(json)).toEqual({
      level: "info",
      time: "2025-01-01T12:30:01.002Z",
      ...fields,
      message: evil,
    })
    const readable = toReadable(json)
    // Only the first line begins as a line begins.
    expect(readable.split("\n").filter((line) => /^\S/.test(line))).toHaveLength(1)
    expect(readable.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069\u061c\u200e\u200f]/u)
    expect(readable).not.toMatch(/^\[\S+ ERROR/m)
  }
})
