/** The page about adding an operation, followed to the letter in a copy of the project, with the tests that read operations. */
import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { copyProject, root, runIn, testsThat } from "./support/project-copy.ts"
import { hasTurn, inTurn } from "./support/turns.ts"

const page = readFileSync(join(root, "docs/adding-an-operation.md"), "utf8")
const [, block = ""] = /```ts\n(.*?) {3}```/s.exec(page) ?? []
const shown = block.replace(/^ {3}/gm, "")

/** The same with another name, id, path and command. */
const renamed = (text: string) =>
  text
    .replace(/\bdisable(?!d)/g, "hold")
    .replace(/\bDisable(?!d)/g, "Hold")
    .replace(/\benable(?!d)/g, "release")
    .replace(/\bEnable(?!d)/g, "Release")

test("the definition on the page is the one in the code", () =>
  expect(shown).toBe(readFileSync(join(root, "src/admin/keys/disable.ts"), "utf8")))

// One commit of six follows it, with a part of the tests.
test.if(hasTurn(2, 6))(
  "an operation like the one on the page passes the checks as soon as the steps of the page are done",
  async () => {
    const copy = copyProject()
    writeFileSync(join(copy, renamed("src/admin/keys/disable.ts")), renamed(shown))
    /** Adds the same as each found part below it. */
    function add(file: string, parts: RegExp, count: number): void {
      const before = readFileSync(join(copy, file), "utf8")
      expect([file, before.match(parts)?.length]).toEqual([file, count])
      writeFileSync(
        join(copy, file),
        before.replace(parts, (part) => part + renamed(part)),
      )
    }
    add("src/admin/operations.ts", /^import .*"\.\/keys\/disable\.ts"\n| {2}(?:disable|enable)Key,\n/gm, 3)
    add(
      "test/admin/every-change.test.ts",
      /^import .*"..\/..\/src\/admin\/keys\/disable.ts"\n|^ {2}"keys\.disable".*\n|^ {2}"keys\.enable"(?:.*\n)*? {2}\},\n/gm,
      3,
    )
    add("test/support/admin-examples.ts", /^ {2}"keys\.enable".*\n/gm, 1)
    add("test/cli.test.ts", /^ {2}if \(command === "key enable"\).*\n/gm, 1)
    add("docs/commands.md", /^.*`penknife key disable ID`.*\n/gm, 1)
    const commands = [...page.matchAll(/^ {3}bun run (\w+)$/gm)].map(([, name]) => name)
    expect(commands).toEqual(["format", "generate", "check"])
    const bun = process.execPath
    const changed = ["src/admin", "test/admin", "test/cli.test.ts"]
    await runIn(copy, [bun, "node_modules/@biomejs/biome/bin/biome", "check", "--write", ...changed])
    await runIn(copy, [bun, "scripts/generate.ts"])
    // `check`, of what depends on the operations.
    await runIn(copy, [bun, "node_modules/typescript/bin/tsc", "--checkers", "1", "-p", "."])
    const readers = testsThat(/admin\/operations\.ts/)
    expect(readers.length).toBeGreaterThan(10)
    const quick = ["./test/cli.test.ts", "./test/cli-operations.test.ts"]
    const ofAdmin = testsThat(/./).filter((file) => file.startsWith("./test/admin/"))
    const tests = inTurn([...new Set([...quick, ...ofAdmin, ...readers])], 6, 6)
    await runIn(copy, [bun, "test", "--timeout=300000", ...tests])
  },
  3_600_000,
)
