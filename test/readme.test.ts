/** The documentation: generated parts, links, and tables that name what the code has. */
import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Glob } from "bun"
import packageJson from "../package.json" with { type: "json" }
import { apiPages, generate } from "../scripts/generate.ts"
import { statuses } from "../src/surfaces/graphql/refusal.ts"

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

test("the README is short", () => {
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(110)
})

test("every error code of GraphQL is documented with its status", () => {
  const rows = [...read("docs/graphql.md").matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)]
  expect(rows.map(([, code = "", status]) => [code, Number(status)])).toEqual([
    ...Object.entries(statuses),
    ["BAD_USER_INPUT", 200],
  ])
})

test("every dependency has its reason, and every reason its dependency", () => {
  const text = read("docs/dependencies.md")
  const named = [...text.matchAll(/^\| ([@a-z][^|]*?) \|/gm)].flatMap((match) => (match[1] ?? "").split(", "))
  const listed = Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies })
  expect(named.filter((name) => name !== "package").sort()).toEqual(listed.sort())
})

test("versions are exact", () => {
  for (const [name, version] of Object.entries({
    ...packageJson.dependencies,
    ...packageJson.devDependencies,
  })) {
    expect([name, version]).toEqual([
      name,
      expect.stringMatching(/^(?:npm:[a-z-]+@)?\d+\.\d+\.\d+(?:-(?:alpha|beta)\.\d+)?$/),
    ])
  }
})

/** The anchors that a Markdown viewer gives to the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  )
}
