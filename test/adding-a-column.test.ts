/** The page about adding a column, its steps for the tables followed to the letter in a copy of the project. */
import { expect, test } from "bun:test"
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runProgram } from "./support/run-program.ts"
import { columnPage } from "./support/sample-step.ts"
import { tempDir } from "./support/temp.ts"

const root = join(import.meta.dir, "..")
const copy = tempDir()
/** The column has another name here, so that the test passes where someone has followed the page. */
const toCode = (text: string) => text.replace(/^ {3}/gm, "").replaceAll("note", "extra")
const blocks = (language: string) =>
  [...columnPage.matchAll(new RegExp(`^ {3}\`\`\`${language}\\n(.*?) {3}\`\`\`$`, "gms"))].map(
    ([, code = ""]) => toCode(code),
  )
const [column = "", index = ""] = blocks("sql")
const [step = ""] = blocks("ts")

/** Replaces a part of a file of the copy, which has it once. */
function change(file: string, part: RegExp, replace: (found: string) => string): void {
  const before = readFileSync(join(copy, file), "utf8")
  expect([file, before.match(new RegExp(part, "gm"))?.length]).toEqual([file, 1])
  writeFileSync(join(copy, file), before.replace(new RegExp(part, "m"), replace))
}

test("a new store and one that takes the step have the same columns and indexes, and the tests of the step pass", async () => {
  for (const path of "package.json tsconfig.json bunfig.toml src docs scripts test/support test/store".split(
    " ",
  ))
    cpSync(join(root, path), join(copy, path), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  for (const kind of ["sqlite", "postgres"]) {
    const schema = `src/store/${kind}/schema.sql`
    change(schema, /(?<=^CREATE TABLE accounts \((?:(?!^\)).*\n)*?^ {2}plan .*\n)/, () => `  ${column}`)
    change(schema, /(?<=^CREATE TABLE accounts \((?:(?!^\)).*\n)*?^\).*;\n)/, () => index)
    // At the end of the list, which may have steps already.
    change(
      `src/store/${kind}/migrations.ts`,
      /(?<=schemaSteps: readonly SchemaStep\[\] = \[(?:\n .*)*\n?)\]$/,
      () => `\n${step}]`,
    )
  }
  const program = `
    import { Database } from "bun:sqlite"
    import { migrate } from ${JSON.stringify(join(copy, "src/store/sqlite/migrations.ts"))}
    import { migrate as migrateBefore } from ${JSON.stringify(join(root, "src/store/sqlite/migrations.ts"))}
    const shapeOf = (database) => [
      database.query("SELECT name FROM pragma_table_info('accounts') ORDER BY name").all(),
      database.query("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'accounts' ORDER BY name").all(),
    ]
    const [fresh, updated] = [new Database(":memory:"), new Database(":memory:")]
    migrate(fresh, "file")
    migrateBefore(updated, "file")
    migrate(updated, "file")
    console.log(JSON.stringify([shapeOf(fresh), shapeOf(updated)]))`
  const [fresh, updated] = JSON.parse(await run([process.execPath, "-e", program]))
  expect(fresh).toEqual(updated)
  expect(JSON.stringify(fresh)).toContain("accounts_by_extra")
  const tests = ["--timeout=300000", "./test/store/schema-steps.test.ts", "-t", "data file"]
  expect(await run([process.execPath, "test", ...tests])).toContain("(pass)")
}, 300_000)

/** Runs a command in the copy, which must end with 0, and returns its output. */
async function run(command: readonly string[]): Promise<string> {
  const { out, err, code } = await runProgram(command, { cwd: copy })
  expect([code, code === 0 ? "" : out + err]).toEqual([0, ""])
  return command.includes("test") ? out + err : out
}
