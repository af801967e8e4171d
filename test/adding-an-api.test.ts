/** The page about adding an API, followed to the letter in a copy of the project. */
import { expect, test } from "bun:test"
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { runProgram } from "./support/run-program.ts"
import { tempDir } from "./support/temp.ts"
import { hasTurn } from "./support/turns.ts"

const root = join(import.meta.dir, "..")
const page = readFileSync(join(root, "docs/adding-an-api.md"), "utf8")

// One commit of three follows it. adding-a-column.test.ts follows a page of this kind with each.
test.if(hasTurn(0, 3))(
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
    await run(copy, [bun, "node_modules/@biomejs/biome/bin/biome", "check", "--write", ...changed])
    for (const [, file = "", , code = ""] of definitions)
      expect(readFileSync(join(copy, file), "utf8")).toBe(unindented(code))
    await run(copy, [bun, "scripts/generate.ts"])
    // `check`, of what depends on the two definitions.
    writeFileSync(
      join(copy, "tsconfig.apis.json"),
      // With all that the catalog imports: its definitions.
      '{ "extends": "./tsconfig.json", "include": ["src/apis/catalog.ts", "src/**/*.d.ts"] }',
    )
    await run(copy, [bun, "node_modules/typescript/bin/tsc", "--checkers", "1", "-p", "tsconfig.apis.json"])
    const ids = definitions.map(([, , id = ""]) => id)
    const tests = ["./test/catalog.test.ts", "-t", `^(?:the definition of )?(?:${ids.join("|")})\\b`]
    const output = await run(copy, [bun, "test", "--timeout=300000", ...tests])
    for (const id of ids) expect(output).toContain(`(pass) the definition of ${id} > describes itself`)
    await run(copy, [bun, "test", "--timeout=300000", "./test/vocabulary.test.ts"])
    expect(readFileSync(join(copy, "docs/schema.graphql"), "utf8")).toContain(ids[0] ?? "")
  },
  300_000,
)

/** A copy of the files that the steps read and write, with only the tests that concern a definition. */
function copyProject(): string {
  const copy = tempDir()
  const files = [".gitignore", "package.json", "tsconfig.json", "biome.json", "README.md"]
  const tests = ["test/support", "test/catalog.test.ts", "test/vocabulary.test.ts"]
  for (const path of [...files, "src", "docs", "scripts", "examples", ...tests])
    cpSync(join(root, path), join(copy, path), {
      recursive: true,
      filter: (name) => !name.includes("/src/") || !name.endsWith(".test.ts"),
    })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

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

/** Runs a command in the copy, which must end with 0, and returns its output. */
async function run(cwd: string, command: readonly string[]): Promise<string> {
  const { out, err, code } = await runProgram(command, { cwd })
  const text = out + err
  expect({ code, text }).toEqual({ code: 0, text })
  return text
}
