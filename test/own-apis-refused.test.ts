/** APIs of an operator: what keeps one from being served. */
import { describe, expect, test } from "bun:test"
import { apiSource, folderOf, loadOwn } from "./support/own-apis.ts"

describe("an API is refused alone, with what to change", () => {
  test.each([
    [
      "throws",
      { first: 'throw new Error("no database")' },
      /throws\/index\.ts cannot be loaded: Error: no database \(.*index\.ts:2:/,
    ],
    ["throwstext", { first: 'throw "text"' }, /it threw "text" instead of an error/],
    ["syntax", { first: "const = 1" }, /syntax\/index\.ts:2:\d+: /],
    ["exits", { first: "process.exit(0)" }, /its thread ended by itself/],
    ["imports", { first: 'import "./nothing.ts"' }, /nothing\.ts/],
    [
      "wrong",
      { shouted: "HELLo" },
      /index\.ts:12: the example 'One word' is wrong: 'shouted' should be "HELLo" and is "HELLO"/,
    ],
    ["fails", { run: 'throw new TypeError("no")' }, /the example 'One word' is wrong: TypeError: no/],
    ["hmac", {}, /the id 'hmac' belongs to another API/],
    [
      "graphql",
      {},
      /the id 'graphql' would take the path \/v1\/graphql from the service: choose a different one/,
    ],
    ["usage", {}, /the id 'usage' would take the path \/v1\/usage from the service/],
    ["otherid", { id: "different" }, /the id 'different' must be the name of its folder, 'otherid'/],
    ["price", { credits: -1 }, /'credits' cannot be used: Expected integer to be greater or equal to 0/],
  ])("%s", async (name, given, problem) => {
    const { id = name, ...change }: Partial<Parameters<typeof apiSource>[1]> & { id?: string } = given
    const folder = folderOf({
      [`${name}/index.ts`]: apiSource(id, change),
      "good/index.ts": apiSource("good"),
    })
    const own = await loadOwn(folder, { taken: ["hmac"] })
    expect(own.definitions.map((api) => api.id)).toEqual(["good"])
    expect(own.problems).toEqual([{ name, problem: expect.stringMatching(problem) }])
    // The copy that is run is no concern of the operator.
    expect(own.problems[0]?.problem).not.toContain("penknife-apis-")
    own.end()
  })

  const withText = (text: string) => apiSource("xy").replace('"The text." })', text)
  const withType = (type: string) =>
    apiSource("xy").replace('Type.String({ description: "The text." })', type)
  const withMore = (name: string, rest = "") =>
    withText(`"The text." }), ${name}: Type.Optional(Type.String({ description: "A word."${rest} }))`)
  test.each([
    ["no default", "export const a = 1", /must end with 'export default defineApi/],
    ["a format", withText('"The text.", format: "email" })'), /'input\.text' has a 'format'/],
    [
      "a pattern that cannot be compiled, in a parameter that no example uses",
      withMore("word", ', pattern: "("'),
      /'input\.word' has a 'pattern' that is no regular expression: /,
    ],
    ["an unknown kind", withType('Type.Any({ description: "Any." })'), /'input\.text' is a Any/],
    ["no description", withType("Type.String()"), /'input\.text' needs a description/],
    [
      "a premium field in one of several types, which no mask could find",
      apiSource("xy")
        .replace("import {", "import { premium,")
        .replace(
          "Type.Object({ shouted:",
          `Type.Object({ more: Type.Optional(Type.Union([Type.Null(), Type.Object({
            a: premium(Type.String({ description: "A." })),
          })], { description: "More." })), shouted:`,
        ),
      /'output\.more' may be of several types, and one has premium\(\): mark 'output\.more' itself instead\.$/,
    ],
    [
      "a parameter with a name that every object has",
      withMore("constructor"),
      /'input\.constructor': every object has something by this name: choose a different one/,
    ],
    [
      "a parameter of a GET with the name that asks for a format of the answer",
      withMore("format").replace('method: "POST"', 'method: "GET"'),
      /'input\.format' is the name by which clients ask for JSON, XML, YAML or CSV: choose a different one/,
    ],
    [
      "an example that is refused",
      apiSource("xy").replace('input: { text: "hello" }', "input: {}"),
      /the example 'One word' is wrong: The 'text' parameter is required and must be a string\.$/,
    ],
    ["an empty file", "", /xy\/index\.ts must end with 'export default defineApi\({ … }\)'$/],
    [
      "a function in a schema",
      withText('"The text.", title: () => 1 })'),
      /the definition\.input\.properties\.text\.title must be plain data, not a function/,
    ],
    [
      "a required parameter with a default",
      withText('"The text.", default: "a" })'),
      /The parameter 'text' of 'xy' is required but has a default: .* \(\S+xy\/index\.ts:\d+:\d+\)$/,
    ],
  ])("%s", async (_, source, problem) => {
    const own = await loadOwn(folderOf({ "xy/index.ts": source }))
    expect(own.problems).toEqual([{ name: "xy", problem: expect.stringMatching(problem) }])
    own.end()
  })

  test("one that loads for ever is given up, and does not hold up others", async () => {
    const folder = folderOf({
      "loops/index.ts": apiSource("loops", { first: "for (;;) {}" }),
      "good/index.ts": apiSource("good"),
    })
    // The limit of loading is reached by hand.
    let end = () => {}
    const timer = {
      after(ms: number, run: () => void) {
        if (ms === 10_000) end = run
        return () => {}
      },
      turn: async () => {},
    }
    const loading = loadOwn(folder, { timer, limitMs: 5_000 })
    const isLoaded = loading.then(() => true)
    // 'good' is loaded first.
    while (!(await Promise.race([isLoaded, new Promise((resolve) => setImmediate(() => resolve(false)))])))
      end()
    const own = await loading
    expect(own.problems.map(({ name }) => name)).toContain("loops")
    expect(own.problems.find(({ name }) => name === "loops")?.problem).toMatch(/did not end within 10 s/)
    own.end()
  })
})
