import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dir, "..")
const read = (file: string) => readFileSync(join(root, file), "utf8")
const text = read("docs/threat-model.md")

/** What stands as `` `file.test.ts`: "title"; "title" ``. */
const named = [...text.matchAll(/`((?:src|test)\/[\w/-]+\.test\.ts)`: ("[^"]+"(?:; "[^"]+")*)/g)].flatMap(
  ([, file = "", titles = ""]) =>
    titles.split('; "').map((title) => [file, title.replaceAll('"', "")] as const),
)

test("every test that the threat model names is there", () => {
  expect(named.length).toBeGreaterThan(60)
  const missing = named.filter(
    ([file, title]) => !existsSync(join(root, file)) || !read(file).includes(title),
  )
  expect(missing).toEqual([])
})

test("every abuse says what stops it and what shows that", () => {
  const [, abuses = ""] = text.split("## Abuse, and what stops it")
  const [tables = ""] = abuses.split("\n## ")
  const rows = tables.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| abuse "))
  expect(rows.length).toBeGreaterThan(40)
  expect(rows.filter((row) => row.split(" | ").length !== 3 || !/`: "[^"]+"/.test(row))).toEqual([])
})

test("every file that it links is there, and nobody is told to write to an address that is none", () => {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1] ?? "")
  expect(links.filter((link) => !existsSync(join(root, "docs", link)))).toEqual([])
  expect(read("SECURITY.md")).not.toMatch(/\S@\S+\.\w/)
})
