/** Mistakes that a definition is refused for. The examples that teach how to write an API compile. */
import { afterAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { withMember } from "../values/frozen.ts"
import { choice, defineApi } from "./contract.ts"

const root = join(import.meta.dir, "../..")
const contract = await Bun.file(join(import.meta.dir, "contract.ts")).text()
const ports = await Promise.all(
  ["dns-port.ts", "machine-ports.ts", "web-port.ts"].map((file) =>
    Bun.file(join(import.meta.dir, file)).text(),
  ),
)
mkdirSync(join(root, "dist"), { recursive: true })
// Inside the project, so that its packages are found.
const folder = mkdtempSync(join(root, "dist/examples-"))
afterAll(() => rmSync(folder, { recursive: true }))

test("a parameter that has a default but is required is refused, since every call would have to send it", () => {
  const order = choice(["asc", "desc"], { default: "asc", description: "The order." })
  const define = (input: Parameters<typeof Type.Object>[0]) =>
    defineApi({
      id: "sorter",
      title: "Sorter",
      description: "Sorts.",
      method: "POST",
      credits: 1,
      input: Type.Object(input),
      output: Type.Object({}),
      examples: [{ name: "Empty", input: {}, output: {} }],
      run: () => ({}),
    })
  expect(() => define({ order })).toThrow(
    "The parameter 'order' of 'sorter' is required but has a default: put its schema in Type.Optional(…).",
  )
  expect(define({ order: Type.Optional(order) }).input.required).toBeUndefined()
})

test("a definition is frozen with everything in it, and so is a copy that runs otherwise", () => {
  const text = Type.String({ description: "The text." })
  const shout = defineApi({
    id: "shout",
    title: "Shout",
    keywords: ["loud"],
    description: "Writes a text in upper case.",
    method: "POST",
    credits: 1,
    input: Type.Object({ text }),
    output: Type.Object({ shouted: Type.Array(Type.String(), { description: "Its words." }) }),
    examples: [{ name: "One", input: { text: "a" }, output: { shouted: ["A"] } }],
    run: ({ text }) => ({ shouted: [text.toUpperCase()] }),
  })
  // The parts of the definition are frozen, too, as soon as a surface reads it.
  expect(shout.input.properties.text).toBe(text)
  for (const api of [shout, withMember(shout, "run", () => ({ shouted: [] }))]) {
    expect(notFrozen(api)).toEqual([])
    expect(api.output.properties.shouted.description).toBe("Its words.")
  }
})

/** The paths of all objects in a value that can be changed. */
function notFrozen(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return []
  const inner = Reflect.ownKeys(value).flatMap((key) =>
    notFrozen(Reflect.get(value, key), `${path}/${String(key)}`),
  )
  return Object.isFrozen(value) ? inner : [path, ...inner]
}

test("every @example of the contract and the page about adding an API", async () => {
  const texts = contract + ports.join("")
  const exported = texts.matchAll(/^export (?:interface|type|class|function) (\w+)/gm)
  const names = [...exported].map(([, name]) => name)
  const header = `import { Type } from "@sinclair/typebox"\nimport { ${names} } from "../../src/apis/contract.ts"\n`
  const examples = [...texts.matchAll(/^ \* @example\n((?: \*(?!\/).*\n)+)/gm)].map(
    ([, lines = ""]) => `${header}${lines.replace(/^ \* ?/gm, "")}export {}\n`,
  )
  expect(examples).toHaveLength(13)
  const page = await Bun.file(join(root, "docs/adding-an-api.md")).text()
  const [, snippet = ""] = /```ts\n(.*?)```/s.exec(page) ?? []
  expect(snippet).toContain("defineApi({")
  const programs = [...examples, snippet.replace("../contract.ts", "../../src/apis/contract.ts")]
  expect(compile(programs)).toBe("")
})

/** The compiler's messages about the programs; empty without errors. */
function compile(programs: readonly string[]): string {
  const files = programs.map((program, index) => {
    const file = join(folder, `example-${index}.ts`)
    writeFileSync(file, program)
    return file
  })
  // One checker, and none for the language's own types: they take longer than the examples.
  const options =
    "--ignoreConfig --noEmit --strict --target esnext --module preserve --allowImportingTsExtensions --checkers 1 --skipLibCheck"
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  const command = [process.execPath, compiler, ...options.split(" "), ...files]
  const { stdout, stderr } = Bun.spawnSync(command, { cwd: root })
  return stdout.toString() + stderr.toString()
}
