/** The documentation: generated parts, links, and tables that name what the code has. */
import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Glob } from "bun"
import packageJson from "../package.json" with { type: "json" }
import { resultType } from "../scripts/generate/apis.ts"
import { apiPages, generate } from "../scripts/generate.ts"
import { catalog } from "../src/app/prepare.ts"
import statuses from "../src/surfaces/graphql/statuses.json"
import { fieldsOf } from "../src/surfaces/markdown/api-page.ts"
import { runProgram } from "./support/run-program.ts"

const root = join(import.meta.dir, "..")
const read = (file: string) => readFileSync(join(root, file), "utf8")
const pages = ["*.md", "docs/**/*.md", "src/mock-client/*.md"].flatMap((pattern) => [
  ...new Glob(pattern).scanSync(root),
])

test("what is generated is up to date; 'bun run generate' renews it", async () => {
  const files = await generate()
  for (const [file, text] of files)
    expect(read(file), `${file} is out of date. Run 'bun run generate'.`).toBe(text)
  expect(apiPages().filter((page) => !files.has(page))).toEqual([])
})

test("every link leads to a file, and to a heading in it", () => {
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].map(([, path = "", anchor = ""]) => ({
      page,
      file: path === "" ? page : join(dirname(page), path),
      anchor,
    })),
  )
  expect(links.length).toBeGreaterThan(50)
  const isBroken = ({ file, anchor }: (typeof links)[number]) =>
    !existsSync(join(root, file)) || (anchor !== "" && !anchorsOf(read(file)).includes(anchor))
  expect(links.filter(isBroken)).toEqual([])
})

test("no sentence and no cell of a table stands on two pages: one has it, and the others link to it", () => {
  const places = new Map<string, Set<string>>()
  for (const page of pages.filter((one) => !one.startsWith("docs/apis/"))) {
    const text = read(page).replace(/^ *```.*?^ *```$/gms, "")
    // A paragraph goes on in the next line, unless that is a row of a table or an entry of a list.
    for (const line of text.replace(/(?<=\S)\n(?=[\w(`*])/g, " ").split("\n"))
      for (const part of line.split(/\||(?<=[.;:]) /)) {
        const words = part.toLowerCase().replace(/^[\s-]+|[.;:\s]+$/g, "")
        if (words.length >= 50) places.set(words, (places.get(words) ?? new Set()).add(page))
      }
  }
  expect(places.size).toBeGreaterThan(2_000)
  expect(
    [...places].filter(([, on]) => on.size > 1).map(([words, on]) => `${[...on].join(" ")}: ${words}`),
  ).toEqual([])
})

test("schema.graphql says what each field of each API means", () => {
  const schema = read("docs/schema.graphql")
  const missing = catalog.flatMap((api) => {
    const fields = fieldsOf(api.output)
    expect(fields.length).toBeGreaterThan(0)
    return fields
      .filter(({ path, schema: { description = "" } }) => {
        const name = path.replace(/^.*\./, "").replace("[]", "")
        const parent = path.includes(".") ? path.slice(0, path.lastIndexOf(".")) : ""
        return !typeBelow(schema, resultType(api), parent).some(
          ([field, meaning]) => field === name && meaning.startsWith(description),
        )
      })
      .map(({ path }) => `${api.id}: ${path}`)
  })
  expect(missing).toEqual([])
})

test("the README is short", () => expect(read("README.md").split("\n").length).toBeLessThanOrEqual(110))

test("the changelog is short, with a line of at most 160 characters for each change", () => {
  const lines = read("CHANGELOG.md").split("\n")
  expect(lines.length).toBeLessThanOrEqual(151)
  expect(lines.filter((line) => line.length > 160)).toEqual([])
})

test("the changelog and all pages agree on the first version that is released", () => {
  const said = pages.flatMap((page) =>
    [...read(page).matchAll(/(\d+\.\d+\.\d+) is the first that is\b|The first release\./g)].map(
      ([, version]) => version,
    ),
  )
  expect(said.length).toBeGreaterThan(2)
  expect(new Set(said).size).toBe(1)
})

test("every error code of GraphQL is documented with its status", () => {
  const rows = [...read("docs/graphql.md").matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)]
  expect(rows.map(([, code = "", status]) => [code, Number(status)])).toEqual([
    ...Object.entries(statuses),
    ["BAD_USER_INPUT", 200],
  ])
})

const dependencies = { ...packageJson.dependencies, ...packageJson.devDependencies }

test("every dependency has its reason, and every reason its dependency", () => {
  const text = read("docs/dependencies.md")
  const named = [...text.matchAll(/^\| ([@a-z][^|]*?) \|/gm)].flatMap((match) => (match[1] ?? "").split(", "))
  expect(named.filter((name) => name !== "package").sort()).toEqual(Object.keys(dependencies).sort())
})

test("versions are exact", () => {
  const exact = expect.stringMatching(/^(?:npm:[a-z-]+@)?\d+\.\d+\.\d+(?:-(?:alpha|beta)\.\d+)?$/)
  for (const one of Object.entries(dependencies)) expect(one).toEqual([one[0], exact])
})

/** The fields of the type of a path such as `rows[].reasons[]`, which starts in the named type: each with its description. */
function typeBelow(schema: string, type: string, path: string): (readonly [string, string])[] {
  const [, body = ""] = new RegExp(`^type ${type} \\{\\n(.*?)^\\}`, "ms").exec(schema) ?? []
  const fields = [...body.matchAll(/"""\s*(.*?)\s*"""\n {2}(\w+)[^\n]*?: \[?(\w+)/gs)]
  if (path === "") return fields.map(([, meaning = "", name = ""]) => [name, meaning])
  const [first = "", ...rest] = path.split(".")
  const next = fields.find(([, , name]) => name === first.replace("[]", ""))
  return typeBelow(schema, next?.[3] ?? "", rest.join("."))
}

/** The anchors that a Markdown viewer gives to the headings of a page. */
const anchorsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  )

/** They do one thing, and take no options. */
const withoutHelp = ["up", "check", "test", "build", "build:all", "prepack", "format", "generate"]

test.each(Object.keys(packageJson.scripts).filter((name) => !withoutHelp.includes(name)))(
  "'bun run %s --help' tells what it does, and does nothing else",
  async (name) => {
    const { code, out, err } = await runProgram([process.execPath, "run", name, "--help"], { cwd: root })
    expect({ code, err: err.replace(/^\$ .*\n/, "") }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/^Usage: /)
  },
)
