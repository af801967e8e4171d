import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dir, "..")
const read = (file: string) => readFileSync(join(root, file), "utf8")
const text = read("docs/threat-model.md")

/** The tests that the page names, as `` `file.test.ts`: "words of a title"; "words of another" ``. */
const named = [
  ...text.matchAll(/`((?:src|test)\/[\w/-]+(?:\.test)?\.ts)`: ("[^"]+"(?:; "[^"]+")*)/g),
].flatMap(([, file = "", titles = ""]) =>
  titles.split('; "').map((title) => [file, title.replaceAll('"', "")] as const),
)

test("every test that the threat model names exists", () => {
  expect(named.length).toBeGreaterThan(300)
  const missing = named.filter(([f, title]) => !existsSync(join(root, f)) || !read(f).includes(title))
  expect(missing).toEqual([])
})

test("every abuse has a defence and a test", () => {
  const [, abuses = ""] = text.split("## Abuse, and what stops it")
  const [tables = ""] = abuses.split("\n## ")
  const rows = tables.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| abuse "))
  expect(rows.length).toBeGreaterThan(140)
  expect(rows.filter((row) => row.split(" | ").length !== 3 || !/`: "[^"]+"/.test(row))).toEqual([])
})

test("nobody is asked to write to an e-mail address", () =>
  expect(read("SECURITY.md")).not.toMatch(/\S@\S+\.\w/))
