/** The page about adding a column, its steps followed to the letter in a copy of the project, with the tests of the stores. */
import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { copyProject, root, runIn, testsThat } from "./support/project-copy.ts"
import { columnPage } from "./support/sample-step.ts"
import { hasTurn, inTurn } from "./support/turns.ts"

const copy = copyProject()
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
  const [fresh, updated] = JSON.parse(await runIn(copy, [process.execPath, "-e", program]))
  expect(fresh).toEqual(updated)
  expect(JSON.stringify(fresh)).toContain("accounts_by_extra")
  const tests = ["--timeout=300000", "./test/store/schema-steps.test.ts", "-t", "data file"]
  expect(await runIn(copy, [process.execPath, "test", ...tests])).toContain("(pass)")
}, 300_000)

// One commit of six follows it, with a part of the tests.
test.if(hasTurn(4, 6))(
  "the program reads, writes and moves the column as soon as the places that the page names have it",
  async () => {
    const beside = (found: string) => `${found} extra,`
    change(
      "src/store/admin-store.ts",
      /(?<=interface AccountDetails .*\n)/,
      () => "  readonly extra: string\n",
    )
    change("src/store/admin-store.ts", /(?<= {4}"name" \| "plan" \| )(?="externalId" \|)/, () => '"extra" | ')
    change("src/store/rows.ts", /(?<=selectAccountDetails = (?:.*\n)*?.* events,)/, beside)
    change("src/store/account-steps.ts", /const \{ version,(?= externalId)/, beside)
    change("src/store/account-steps.ts", / createdMs, version,(?= externalId)/, beside)
    change(
      "src/store/move-tables.json",
      /"id name plan(?= created_ms webhook_url)/,
      (found) => `${found} extra`,
    )
    for (const file of ["src/admin/accounts/new-account.ts", "test/support/admin-store.ts"])
      change(file, /^ {4}externalId: null,\n/, (found) => `${found}    extra: "",\n`)
    const bun = process.execPath
    await runIn(copy, [bun, "node_modules/typescript/bin/tsc", "--checkers", "1", "-p", "."])
    const stores = testsThat(/./).filter((file) => /^\.\/(?:src|test)\/store\//.test(file))
    await runIn(copy, [
      bun,
      "test",
      "--timeout=300000",
      "./test/store/moved-columns.test.ts",
      ...inTurn(stores, 15, 6),
    ])
  },
  3_600_000,
)
