import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import fc from "fast-check"
import { choice, InputRejected, premium } from "../apis/contract.ts"
import { compileInput, type RawInput } from "./input.ts"

const read = compileInput(
  Type.Object({
    amount: Type.Number({ minimum: -90, maximum: 90 }),
    years: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 3 })),
    order: Type.Optional(choice(["asc", "desc"], { default: "asc", description: "" })),
    exact: Type.Optional(Type.Boolean()),
    lines: Type.Optional(Type.Array(Type.String(), { maxItems: 3 })),
    date: Type.Optional(premium(Type.String({ minLength: 1 }))),
  }),
)

const text = (values: Record<string, string | string[]>): RawInput => ({
  kind: "text",
  parameters: Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((text) => ({ name, text })),
  ),
})
const typed = (values: Record<string, unknown>): RawInput => ({ kind: "typed", values })

test.each([
  ["5", 5],
  ["-33.9", -33.9],
  ["1e1", 10],
  ["2.5E-1", 0.25],
  ["-0", 0],
  ["007", 7],
])("text becomes a value only when it is exactly one: %p is the number %p", (value, expected) =>
  expect(read(text({ amount: value })).amount).toBe(expected),
)

const notNumbers = "| 5|5 |NaN|Infinity|0x10|1,5|1_000|.5|5.|+5|1e999|91|-90.1|five"
test.each([
  ["amount", notNumbers, "must be a number from -90 to 90"],
  ["years", "1.5|0|51|1e999", "must be a whole number from 1 to 50"],
  ["exact", "|1|yes|TRUE", "must be true or false"],
])("text is a value only when it is exactly one: %s refuses other text: %p", (name, values, requirement) => {
  for (const value of values.split("|")) {
    const given = text({ amount: "1", [name]: value })
    expect(() => read(given)).toThrow(`The '${name}' parameter ${requirement}.`)
  }
})

test("text becomes a value only when it is exactly one: booleans are true and false", () => {
  expect(read(text({ amount: "1", exact: "true" })).exact).toBe(true)
  expect(read(text({ amount: "1", exact: "false" })).exact).toBe(false)
})

test("text becomes a value only when it is exactly one: a parameter is given once, a list any number of times", () => {
  const twice = text({ amount: ["1", "2"] })
  expect(() => read(twice)).toThrow("The 'amount' parameter must be given once, not 2 times.")
  expect(read(text({ amount: "1", lines: ["a", "b"] })).lines).toEqual(["a", "b"])
})

test.each([["5"], [null], [true], [[5]], [{ a: 5 }], [Number.POSITIVE_INFINITY], [Number.NaN]])(
  "JSON is taken as typed: %p is no number",
  (value) => expect(() => read(typed({ amount: value }))).toThrow("The 'amount' parameter must be a number"),
)

test("JSON is taken as typed: null in an optional parameter counts as left out, unless its schema takes null", () => {
  const input = read(typed({ amount: 1, years: null, order: null, lines: null, date: null }))
  expect(input).toEqual(read(typed({ amount: 1 })))
  const clear = compileInput(Type.Object({ limit: Type.Optional(Type.Union([Type.Integer(), Type.Null()])) }))
  expect(clear(typed({ limit: null }))).toEqual({ limit: null })
})

test("JSON is taken as typed: text that cannot be decoded is refused, also when its name was given again", () => {
  const parameters = [
    { name: "amount", text: "1" },
    { name: "other", text: null },
  ]
  expect(read({ kind: "text", parameters }).amount).toBe(1)
  const undecoded: RawInput = { kind: "text", parameters: [...parameters, { name: "amount", text: null }] }
  expect(() => read(undecoded)).toThrow("The 'amount' parameter must be percent-encoded UTF-8.")
})

test("JSON is taken as typed: the wrong item of a list is named by its position and not quoted", () => {
  const message = "The 'lines' parameter must be an array of at most 3 strings"
  const wrong = typed({ amount: 1, lines: ["a", 7] })
  expect(() => read(wrong)).toThrow(`${message}; item 1 (counted from 0) is not.`)
  expect(() => read(typed({ amount: 1, lines: ["a", "b", "c", "d"] }))).toThrow(`${message}.`)
})

test("JSON is taken as typed: lone surrogates are refused, at the top and in lists", () => {
  for (const values of [{ date: "a\ud800" }, { lines: ["ok", "\udc00"] }])
    expect(() => read(typed({ amount: 1, ...values }))).toThrow("must be well-formed Unicode text")
  expect(read(typed({ amount: 1, date: "😀" })).date).toBe("😀")
})

test("defaults are filled, unknown parameters left out, prototypes left alone", () => {
  const hostile = JSON.parse('{"amount": 1, "__proto__": {"years": 9}, "constructor": 1, "other": 2}')
  expect(read(typed(hostile))).toEqual({ amount: 1, years: 3, order: "asc" })
  expect(Object.getPrototypeOf(read(typed(hostile)))).toBe(Object.prototype)
  expect(() => read(typed(Object.create({ amount: 1 })))).toThrow("The 'amount' parameter is required")
})

test("the message names the first wrong parameter in schema order", () => {
  expect(() => read(typed({ years: 99, order: "up" }))).toThrow(
    "The 'amount' parameter is required and must be a number from -90 to 90.",
  )
  expect(() => read(typed({ order: "up", years: 99, amount: 1 }))).toThrow("'years'")
})

test("any input is either checked or rejected with the name of a parameter", () => {
  const names = ["amount", "years", "order", "exact", "lines", "date"]
  const value = fc.oneof(fc.jsonValue(), fc.string(), fc.double(), fc.constantFrom("asc", 5, true))
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names, "__proto__", "x"), value), (values) => {
      try {
        const input = read(typed(values))
        expect(input.amount as number).toBeWithin(-90, 90.0001)
        expect(Object.keys(input).every((name) => names.includes(name))).toBe(true)
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(InputRejected)
        expect(names).toContain((thrown as InputRejected).parameter)
      }
    }),
    { numRuns: 1_000 },
  )
})
