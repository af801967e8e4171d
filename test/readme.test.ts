import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import packageJson from "../package.json" with { type: "json" }
import { renderReadme } from "../scripts/readme.ts"

const root = join(import.meta.dir, "..")
const read = (file: string) => readFileSync(join(root, file), "utf8")

test("the README's generated parts are what the code says; 'bun run readme' renews them", () => {
  expect(read("README.md")).toBe(renderReadme(read("README.md")))
})

test("every file that the README links is there", () => {
  const links = [...read("README.md").matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1] ?? "")
  expect(links.length).toBeGreaterThan(2)
  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([])
})

test("every dependency has its reason, and no reason is left without its dependency", () => {
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
    expect([name, version]).toEqual([name, expect.stringMatching(/^(?:npm:[a-z-]+@)?\d+\.\d+\.\d+$/)])
  }
})
