import { expect, test } from "bun:test"
import fc from "fast-check"
import { hashInput } from "./input-hash.ts"

const hash = (value: unknown, salt = "key\n/v1/hmac") => hashInput(salt, value, async () => {})

/** Each row has texts of JSON that mean one value. */
const same: readonly (readonly string[])[] = [
  [
    '{"a":1,"b":2}',
    '{ "b" : 2,\n"a" : 1 }',
    '{"b":2,"a":1.0}',
    '{"\\u0061":1e0,"b":0.2e1}',
    '{"a":7,"b":2,"a":1}',
  ],
  ['"é"', '"\\u00e9"'],
  ['{"__proto__":1}', '{"__proto\\u005f_":1}'],
  ["0", "-0", "0.0"],
  ["[]", "[ ]"],
]

/** Values that are written almost alike. */
const different: readonly string[] = [
  ...'null {} [] "" 0 false 1 "1" true [1] [[1]] [1,2] [2,1] [[1],2] [null] ["1,2"]'.split(" "),
  ...'{"a":1} {"a":1,"b":2} {"a":{"b":2}} {"a":"1,\\"b\\":2"} {"__proto__":1} {"constructor":1}'.split(" "),
  ...'"é" "e\\u0301" "\\ud800" "\\ufffd" 1e400 -1e400 9007199254740992 9007199254740994'.split(" "),
]

test.each(same)("the hash of an input is the same for %s and %s", async (...texts) => {
  const hashes = new Set(await Promise.all(texts.map((text) => hash(JSON.parse(text)))))
  expect([...hashes]).toHaveLength(1)
})

test("the hash of an input differs for each of values that are written almost alike", async () => {
  const hashes = await Promise.all(different.map((text) => hash(JSON.parse(text))))
  expect(hashes.filter((each, index) => hashes.indexOf(each) !== index)).toEqual([])
})

test("the hash of an input is the same for equal values alone, whatever the order of their members", () =>
  fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), async (one, other) => {
      expect((await hash(one)) === (await hash(other))).toBe(Bun.deepEquals(zeroed(one), zeroed(other), true))
      expect(await hash(reversed(one))).toBe(await hash(one))
    }),
    { numRuns: 300, seed: 28 },
  ))

test("the hash of an input cannot be tried out without the key, and is another one for another path", async () => {
  const salts = ["key\n/v1/hmac", "key\n/v1/hmac/batch", "key2\n/v1/hmac", "ke\ny/v1/hmac"]
  expect(new Set(await Promise.all(salts.map((salt) => hash({ pin: "0000" }, salt)))).size).toBe(4)
})

/** JSON writes -0 as 0. */
const zeroed = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** The same value with the members of its objects in the other order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(reversed(member))}`,
  )
  return JSON.parse(`{${members.reverse().join(",")}}`)
}
