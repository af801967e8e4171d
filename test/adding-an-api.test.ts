/** The page about adding an API, followed to the letter in a copy of the project, with every test that reads the catalog. */
import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { copyProject, root, runIn, testsThat } from "./support/project-copy.ts"
import { hasTurn, inTurn } from "./support/turns.ts"

/** The APIs have other names here, so that the test passes where someone has followed the page. */
const names = {
  textlength: "lettercount",
  "Text length": "Letter count",
  leapyear: "februarydays",
  "Leap year": "February",
}
const page = Object.entries(names).reduce(
  (text, [name, other]) => text.replaceAll(name, other),
  readFileSync(join(root, "docs/adding-an-api.md"), "utf8"),
)

// One commit of six follows it, with a part of the tests.
test.if(hasTurn(0, 6))(
  "an API with GET and one with POST pass the checks as soon as the steps of the page are done",
  async () => {
    const copy = copyProject()
    const definitions = [...page.matchAll(/`(src\/apis\/(\w+)\/index\.ts)`:\n\n {3}```ts\n(.*?) {3}```/gs)]
    for (const [, file = "", , code = ""] of definitions) {
      mkdirSync(dirname(join(copy, file)))
      writeFileSync(join(copy, file), unindented(code))
    }
    addToCatalog(join(copy, "src/apis/catalog.ts"))
    const commands = [...page.matchAll(/^ {3}bun run (\w+)$/gm)].map(([, name]) => name)
    expect(commands).toEqual(["format", "generate", "check"])
    const bun = process.execPath
    const changed = ["src/apis/catalog.ts", ...definitions.map(([, file = ""]) => file)]
    // `format`, of the files that the steps changed. It fails as `check` would when the linter finds something.
    await runIn(copy, [bun, "node_modules/@biomejs/biome/bin/biome", "check", "--write", ...changed])
    for (const [, file = "", , code = ""] of definitions)
      expect(readFileSync(join(copy, file), "utf8")).toBe(unindented(code))
    await runIn(copy, [bun, "scripts/generate.ts"])
    // `check`, of what depends on the two definitions.
    writeFileSync(
      join(copy, "tsconfig.apis.json"),
      // With all that the catalog imports: its definitions.
      '{ "extends": "./tsconfig.json", "include": ["src/apis/catalog.ts", "src/**/*.d.ts"] }',
    )
    await runIn(copy, [bun, "node_modules/typescript/bin/tsc", "--checkers", "1", "-p", "tsconfig.apis.json"])
    const ids = definitions.map(([, , id = ""]) => id)
    const ofIds = ["./test/catalog.test.ts", "-t", `^(?:the definition of )?(?:${ids.join("|")})\\b`]
    const output = await runIn(copy, [bun, "test", "--timeout=300000", ...ofIds])
    for (const id of ids) expect(output).toContain(`(pass) the definition of ${id} > describes itself`)
    const readers = testsThat(/\bcatalog\b/)
    expect(readers.length).toBeGreaterThan(50)
    await runIn(copy, [
      bun,
      "test",
      "--timeout=300000",
      "./test/vocabulary.test.ts",
      ...inTurn(readers, 12, 6),
    ])
    expect(readFileSync(join(copy, "docs/schema.graphql"), "utf8")).toContain(ids[0] ?? "")
  },
  3_600_000,
)

/** Adds the lines that the page shows for the catalog's file: the imports below the others, the names at the end of the list. */
function addToCatalog(file: string): void {
  const blocks = [...page.matchAll(/^ {3}```ts\n(.*?) {3}```/gms)].map(([, code = ""]) => unindented(code))
  const [imports = "", lines = ""] = blocks.slice(-2)
  const before = readFileSync(file, "utf8")
  const after = before
    .replace(/(?:^import .*\n)+/m, (all) => all + imports)
    .replace(/^ {2}\]$/m, (end) => lines + end)
  expect(after.length).toBe(before.length + imports.length + lines.length)
  writeFileSync(file, after)
}

const unindented = (code: string): string => code.replace(/^ {3}/gm, "")
