import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { nullable, premium } from "../apis/contract.ts"
import { compileInputMask, compileMask } from "./prepared-api.ts"

const mask = compileMask(
  Type.Object({
    plain: Type.Number(),
    secret: premium(Type.Number()),
    box: Type.Object({ shown: Type.String(), hidden: premium(Type.String()) }),
    empty: Type.Object({ hidden: premium(Type.String()) }),
    list: Type.Array(Type.Object({ a: Type.Number(), b: premium(Type.Number()) })),
    maybe: nullable(Type.String(), { description: "" }),
    rare: Type.Optional(Type.String()),
  }),
)

const full = {
  plain: 1,
  secret: 2,
  box: { shown: "s", hidden: "h" },
  empty: { hidden: "h" },
  list: [
    { a: 1, b: 2 },
    { a: 3, b: 4 },
  ],
  maybe: null,
}

test("premium fields are absent at every depth, the rest is unchanged", () => {
  const before = structuredClone(full)
  const masked = { plain: 1, box: { shown: "s" }, empty: {}, list: [{ a: 1 }, { a: 3 }], maybe: null }
  expect(mask(full)).toStrictEqual(masked)
  expect(full).toStrictEqual(before)
})

test("a field that is not in the schema is removed", () =>
  expect(mask({ ...full, leak: "x" })).not.toHaveProperty("leak"))

test("premium parameters are taken out of an input, whatever else it has", () => {
  const maskInput = compileInputMask(Type.Object({ a: Type.Number(), b: premium(Type.Number()) }))
  expect(maskInput({ a: 1, b: 2 })).toStrictEqual({ a: 1 })
  const input = { a: 1 }
  expect(compileInputMask(Type.Object({ a: Type.Number() }))(input)).toBe(input)
})
