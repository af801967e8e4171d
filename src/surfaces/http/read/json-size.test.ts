import { expect, test } from "bun:test"
import { requireModerate } from "./json-size.ts"

const manyParts = "must be JSON of at most 20,000 objects, arrays, member names and numbers"
const tooDeep = "must be JSON of at most 100 levels"
const blank = " ".repeat(50_000)

test.each([
  ["numbers", JSON.stringify({ x: Array(60_000).fill(1) }), manyParts],
  ["numbers between texts", JSON.stringify({ x: Array(60_000).fill(["a", 1]).flat() }), manyParts],
  ["empty arrays", JSON.stringify({ x: Array(30_000).fill([]) }), manyParts],
  ["empty objects", JSON.stringify({ x: Array(30_000).fill({}) }), manyParts],
  [
    "names of members",
    JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`k${index}`, "a"]))),
    manyParts,
  ],
  ["nested arrays", `{"x":${"[".repeat(100)}${blank}${"]".repeat(100)}}`, tooDeep],
  ["nested objects", `${'{"x":'.repeat(101)}1${"}".repeat(101)}${blank}`, tooDeep],
  ["arrays that are never closed", "[".repeat(60_000), tooDeep],
])("texts that take long to parse: %s are refused before that", (_, text, message) =>
  expect(() => requireModerate(Buffer.from(text))).toThrow(`The 'body' parameter ${message}.`),
)

test.each([
  ["texts outside ASCII", JSON.stringify({ x: "漢字é😀".repeat(30_000) })],
  ["a short text, whatever it holds", "[".repeat(50_000)],
  ["half a million texts", JSON.stringify({ lines: Array(500_000).fill("a") })],
  ["texts on lines of their own", JSON.stringify({ lines: Array(100_000).fill("a") }, null, "\t")],
  ["brackets, colons and quotes inside of texts", JSON.stringify({ x: '[{":,1\\'.repeat(30_000) })],
  ["a text that ends with a backslash", JSON.stringify({ x: `${blank}\\`, y: '["' })],
  ["20,000 parts", JSON.stringify({ x: Array(19_997).fill(10), y: blank })],
  ["100 levels", `${"[".repeat(100)}${blank}${"]".repeat(100)}`],
  ["a text without an end", `{"x":"${blank}\\`],
])("lets pass: %s", (_, text) => expect(() => requireModerate(Buffer.from(text))).not.toThrow())
