import { expect, test } from "bun:test"
import fc from "fast-check"
import { joinLabels, splitLabels } from "./dns-labels.ts"

test.each([
  ["a.b", ["a", "b"]],
  ["", []],
  ["a\\.b.c", ["a.b", "c"]],
  ["a\\\\.b", ["a\\", "b"]],
  ["a\\\\\\.b", ["a\\.b"]],
  ["a..b", ["a", "", "b"]],
])("%j has the labels %j", (name, labels) => {
  expect(splitLabels(name)).toEqual(labels)
  expect(joinLabels(labels)).toBe(name)
})

test("a backslash before another character, and at the end, stands for itself", () =>
  expect(splitLabels("a\\b\\032.c\\")).toEqual(["a\\b\\032", "c\\"]))

test("different labels make different names", () => {
  const label = fc.string({ unit: fc.constantFrom("a", ".", "\\", "\0", "\xff"), minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(fc.array(label, { maxLength: 5 }), (labels) => {
      expect(splitLabels(joinLabels(labels))).toEqual(labels)
    }),
  )
})
