import { expect, test } from "bun:test"
import fc from "fast-check"
import specTests from "json-patch-test-suite/spec_tests.json"
import tests from "json-patch-test-suite/tests.json"
import { processorMs } from "../../../test/support/processor-time.ts"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import { run } from "./run.ts"

const ask = (input: Parameters<typeof run>[0]) => runIsolated(run, input)

interface SuiteCase {
  readonly doc: unknown
  readonly patch: unknown
  readonly expected?: unknown
  readonly error?: string
  readonly comment?: string
  readonly disabled?: boolean
}

const suite: readonly SuiteCase[] = [...specTests, ...tests].filter(
  (one): one is Exclude<typeof one, { disabled: boolean }> & SuiteCase => !("disabled" in one),
)

test("json-patch-test-suite is there", () => expect(suite.length).toBeGreaterThan(80))

test.each(suite.map((one, index) => [`${index} ${one.comment ?? one.error ?? ""}`, one] as const))(
  "json-patch-test-suite: %s",
  async (_title, { doc, patch, expected, error }) => {
    const answer = await ask({ from: doc, patch }).catch((refusal: Error) => refusal)
    if (error !== undefined) {
      if (answer instanceof Error) expect(answer.message).toStartWith("The 'patch' parameter ")
      else expect(answer).toMatchObject({ is_valid: false, result: null })
    } else if (expected !== undefined) expect(answer).toMatchObject({ is_valid: true, result: expected })
    else expect(answer).toMatchObject({ is_valid: true })
  },
)

/** RFC 7386, appendix A: a document, a merge patch and the result. */
test.each<[from: string, patch: string, result: string]>([
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', "{}"],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', "null", "null"],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
  ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
])("%s merged with %s", async (from, patch, result) => {
  const answer = await ask({ from: JSON.parse(from), patch: JSON.parse(patch), patch_type: "merge_patch" })
  expect(answer).toMatchObject({ is_valid: true, problems: [], result: JSON.parse(result) })
})

/** Small values that are often equal in parts. */
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, 1, "", "a"),
    fc.array(tie("any"), { maxLength: 6 }),
    fc.dictionary(fc.constantFrom("", "a", "b/c", "~", "0", "-", "toString", "length"), tie("any"), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).any

test("a patch leads from one document to the other, the reverse one back, and so does the merge patch", async () => {
  await fc.assert(
    fc.asyncProperty(value, value, async (from, to) => {
      const answer = await ask({ from, to })
      expect(answer).toMatchObject({ is_valid: true, problems: [] })
      expect(answer.result).toEqual(to)
      expect((await ask({ from, patch: answer.patch })).result).toEqual(to)
      expect((await ask({ from: to, patch: answer.reverse })).result).toEqual(from)
      const merged = await ask({ from, patch: answer.merge_patch, patch_type: "merge_patch" })
      if (answer.merge_patch !== null || to === null) expect(merged.result).toEqual(to)
      // A member that is null cannot be set.
      else expect(JSON.stringify(to)).toContain("null")
    }),
    { seed: 26, numRuns: 1_500 },
  )
})

test.each<[unknown, unknown, unknown]>([
  [[1, 2, 3, 4], [2, 3, 4, 5], "remove /0, add /3 5"],
  [[1, 2, 3], [0, 1, 2, 3], "add /0 0"],
  [[{ id: 1, n: 1 }, { id: 2 }], [{ id: 1, n: 2 }, { id: 2 }], "replace /0/n 2"],
  [{ a: 1 }, { a: 1 }, ""],
  [1, "1", 'replace  "1"'],
  [{ "a/b": { "~": 1 } }, { "a/b": {} }, "remove /a~1b/~0"],
])("%j to %j: %s", async (from, to, wanted) => {
  const { patch } = await ask({ from, to })
  const shown = (patch ?? []).map(({ op, path, value }) =>
    value === undefined ? `${op} ${path}` : `${op} ${path} ${JSON.stringify(value)}`,
  )
  expect<unknown>(shown.join(", ")).toBe(wanted)
})

test("lists of 5,000 items take less than a second of processor time, whatever is changed in them", async () => {
  const from = Array.from({ length: 5_000 }, (_, id) => ({ id, name: `name ${id}` }))
  const reversed = from.toReversed()
  const without = from.filter(({ id }) => id % 10 !== 0)
  for (const to of [reversed, without, [...from, ...from], from.map(({ id }) => ({ id: id + 1 }))]) {
    let patch: unknown
    const taken = processorMs(async () => {
      ;({ patch } = await ask({ from, to }))
    })
    expect(await taken).toBeLessThan(1_000)
    expect((await ask({ from, patch })).result).toEqual(to)
  }
  expect((await ask({ from, to: without })).patch).toHaveLength(500)
})

test.each<[string, unknown, string, string]>([
  ["nothing there", [{ op: "remove", path: "/x/y" }], "missing", "patch[0].path"],
  ["an inherited name", [{ op: "test", path: "/toString", value: 1 }], "missing", "patch[0].path"],
  ["an index with a zero before it", [{ op: "add", path: "/list/01", value: 1 }], "index", "patch[0].path"],
  ["an index of 2^32", [{ op: "add", path: "/list/4294967296", value: 1 }], "index", "patch[0].path"],
  ["length of a list", [{ op: "copy", from: "/list/length", path: "/a" }], "index", "patch[0].from"],
  ["a value into itself", [{ op: "move", from: "/a", path: "/a/b" }], "move_inside", "patch[0].path"],
  ["the root", [{ op: "remove", path: "" }], "root", "patch[0].path"],
  [
    "the second one",
    [
      { op: "add", path: "/b", value: 1 },
      { op: "test", path: "/b", value: "1" },
    ],
    "test_failed",
    "patch[1].value",
  ],
])("a patch that cannot be applied, %s, says which operation", async (_title, patch, code, where) => {
  const answer = await ask({ from: { a: {}, list: [1, 2] }, patch })
  expect(answer).toMatchObject({ is_valid: false, result: null, patch: null, merge_patch: null })
  expect(answer.problems).toMatchObject([{ code, where, message: expect.stringContaining("Operation ") }])
})

test.each<[string, Parameters<typeof run>[0], string]>([
  ["neither", { from: 1 }, "The 'to' parameter is required, unless 'patch' is given."],
  ["both", { from: 1, to: 1, patch: [] }, "The 'patch' parameter must be left out where 'to' is given."],
  ["no list", { from: 1, patch: {} }, "must be a list of operations"],
  ["no object", { from: 1, patch: [[]] }, "operation 0 (counted from 0): it must be an object"],
  ["another name", { from: 1, patch: [{ op: "spam", path: "" }] }, "'op' must be one of add"],
  ["no value", { from: 1, patch: [{ op: "add", path: "" }] }, "'value' is required for add"],
  ["no pointer", { from: 1, patch: [{ op: "remove", path: "a" }] }, "'path' must be a JSON Pointer"],
  ["a tilde", { from: 1, patch: [{ op: "remove", path: "/~2" }] }, "'path' must be a JSON Pointer"],
  ["a prototype", { from: {}, patch: [{ op: "add", path: "/__proto__", value: 1 }] }, "__proto__"],
  ["a long path", { from: {}, patch: [{ op: "remove", path: "/a".repeat(101) }] }, "at most 100 steps"],
])("%s is refused", (_title, input, refusal) => expect(ask(input)).rejects.toThrow(refusal))

test("a document that is copied into itself again and again is refused", () => {
  const copies = (count: number, path: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => ({ op: "copy", from: "", path: path(index) }))
  expect(ask({ from: [], patch: copies(40, () => "/-") })).rejects.toThrow("must copy at most 100,000 values")
  expect(ask({ from: {}, patch: copies(101, () => "/a") })).rejects.toThrow("100 levels")
  const patch = copies(20, () => "/-")
  const large = ask({ from: ["x".repeat(100_000)], patch: patch.slice(0, 5) })
  expect(large).rejects.toThrow("1,000,000 characters")
})

test("if one of to and patch is null, it counts as left out", async () => {
  expect(await ask({ from: 1, to: null, patch: [] })).toMatchObject({ result: 1 })
  expect(await ask({ from: 1, to: 2, patch: null })).toMatchObject({ result: 2 })
  expect(await ask({ from: 1, to: null })).toMatchObject({ result: null, merge_patch: null })
  expect(await ask({ from: 1, patch: null, patch_type: "merge_patch" })).toMatchObject({ result: null })
})

test("a number that may have lost digits is a warning", async () => {
  const { is_valid, problems, patch } = await ask({ from: { a: [2 ** 53] }, to: { a: [2 ** 53] } })
  expect({ is_valid, patch }).toEqual({ is_valid: true, patch: [] })
  expect(problems.map(({ code, where, message }) => [code, where, message.slice(0, 21)])).toEqual([
    ["large_number", "from", "The number at /a/0 is"],
    ["large_number", "to", "The number at /a/0 is"],
  ])
})

test("the reverse patch is only made for premium", async () =>
  expect((await runIsolated(run, { from: 1, to: 2 }, false)).reverse).toBeNull())

const compare = (from: unknown, to: unknown, ignore: string[]) => runIsolated(run, { from, to, ignore })

test("places that are left out of a comparison by pointers, with * for any name or index", async () => {
  const users = ["a", "b"].map((name, index) => ({ name, seen: index + 1 }))
  const from = { at: 1, users, "x/y": 1, "*": 1 }
  const to = { at: 2, users: [{ name: "a", seen: 3 }, { name: "c" }], "x/y": 2, "*": 1 }
  const ignored = "/at /users/*/seen /x~1y /none/0".split(" ")
  const { patch, merge_patch, result, reverse } = await compare(from, to, ignored)
  expect(patch).toEqual([{ op: "replace", path: "/users/1/name", value: "c" }])
  expect(reverse).toEqual([{ op: "replace", path: "/users/1/name", value: "b" }])
  expect(result).toEqual({ users: [{ name: "a" }, { name: "c" }], "*": 1 })
  expect(merge_patch).toEqual({ users: [{ name: "a" }, { name: "c" }] })
  const { patch: small } = await compare([1, 2, 3], [9, 2, 4], ["/0"])
  expect(small).toEqual([{ op: "replace", path: "/2", value: 4 }])
  expect((await compare(from, to, ["/*"])).patch).toEqual([])
  expect((await compare(1, 2, ["/a"])).patch).toEqual([{ op: "replace", path: "", value: 2 }])
})

test("places that are left out of a comparison: wrong ones are refused", async () => {
  for (const pointer of ["", "a", "/a~2"])
    await expect(compare({}, {}, ["/a", pointer])).rejects.toThrow(
      `The 'ignore' parameter must have JSON Pointers (RFC 6901), such as "/a/*/b"; item 1 (counted from 0) is none`,
    )
  const both = runIsolated(run, { from: {}, patch: [], ignore: ["/a"] })
  await expect(both).rejects.toThrow("where 'patch' is given")
})
