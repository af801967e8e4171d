/** Names of accounts and keys that would deceive whoever reads them on a terminal. */
import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { runCliForTest } from "./support/cli.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
let files = 0
const newStore = () => join(dir, `names-${files++}.db`)
const run = (db: string, ...argv: string[]) => runCliForTest([...argv, "--db", db])

async function json(db: string, ...argv: string[]) {
  const { code, out, err } = await run(db, ...argv, "--json")
  expect({ code, err }).toEqual({ code: 0, err: "" })
  return JSON.parse(out)
}

/** Control characters, line separators and characters that change the direction of text, one per code point. */
const hidden = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
const hiddenNames: [code: string, name: string][] = [
  ["U+001B", "Ann\u001b[2J"],
  ["U+000A", "Ann\nacc_1  Bob"],
  ["U+0009", "Ann\tpro"],
  ["U+007F", "Ann\u007f"],
  ["U+009B", "Ann\u009b2J"],
  ["U+061C", "Ann\u061c"],
  ["U+200F", "\u200fAnn"],
  ["U+202E", "Ann\u202eorp"],
  ["U+2028", "Ann\u2028"],
  ["U+2069", "Ann\u2069"],
  ["U+200B", "An\u200bn"],
  ["U+FEFF", "\ufeffAnn"],
  ["U+00AD", "An\u00adn"],
  ["U+200D", "An\u200dn"],
  ["U+FE0F", "Ann\ufe0f"],
  ["U+E0041", "Ann\u{e0041}"],
  ["U+2800", "Ann\u2800"],
  ["U+00A0", "Ann\u00a0Lee"],
  ["U+2003", "Ann\u2003Lee"],
  ["U+E000", "Ann\ue000"],
  ["U+10FFFD", "Ann\u{10fffd}"],
  ["U+FDD0", "Ann\ufdd0"],
  ["U+FE0F", "Ann 1\ufe0f"],
  ["U+FFF9", "An\ufff9n"],
  ["U+13430", "An\u{13430}n"],
  ["U+1D159", "An\u{1d159}n"],
  ["U+200D", "م\u200dح"],
  ["U+200C", "क\u200cष"],
  ["U+200C", "👩\u200c💻"],
]

describe("a new name with a hidden character is refused and its character named", async () => {
  const db = newStore()
  const { id } = await json(db, "account", "create", "--name", "Ann")

  test.each(hiddenNames)("%s", async (code, name) => {
    const reason = `must not have characters that are not seen, such as controls, have no shape of their own, or change the direction of text. This one has ${code}.\n(add --help for help)\n`
    const refused = { code: 2, out: "" }
    expect(await run(db, "account", "create", "--name", name)).toEqual({
      ...refused,
      err: `penknife: The name of an account ${reason}`,
    })
    expect(await run(db, "key", "create", "--account", id, "--name", name)).toEqual({
      ...refused,
      err: `penknife: The name of a key ${reason}`,
    })
  })

  test("and nothing was made", async () =>
    expect([(await json(db, "account", "list")).length, await json(db, "key", "list")]).toEqual([1, []]))

  test("names in any script, with joiners and emoji, are names", async () => {
    const db = newStore()
    const names = [
      ...["Ä & Co", "山田", "山田\u3000太郎", "⠁⠃", "שרה", "می\u200cخواهم", "👩\u200d💻", "❤️\u200d🔥"],
      ...["👍🏽", "क्\u200dष", "र\u200d्य", "1\ufe0f\u20e3", "a b"],
    ]
    for (const name of names) await json(db, "account", "create", "--name", name)
    const listed = await json(db, "account", "list", "--sort", "oldest")
    expect(listed.map((one: { name: string }) => one.name)).toEqual(names)
    expect((await run(db, "account", "list")).out).toContain("می\u200cخواهم")
  })
})

// Control characters that a terminal obeys; an id has at most 100 characters.
const evil = hiddenNames
  .slice(0, 16)
  .map(([, name]) => name)
  .join("")

/** A data file with names that an earlier version took. */
async function oldStore() {
  const db = newStore()
  const { id } = await json(db, "account", "create", "--name", "Ann")
  await json(db, "key", "create", "--account", id)
  const database = new Database(db)
  for (const table of ["accounts", "keys"]) database.query(`UPDATE ${table} SET name = ?1`).run(evil)
  database.close()
  return { db, id }
}

test("an old name with hidden characters is escaped where it is shown, in tables and records", async () => {
  const { db, id } = await oldStore()
  for (const argv of [
    ["account", "list"],
    ["account", "show", id],
    ["key", "list"],
  ]) {
    const { out } = await run(db, ...argv)
    expect(out).toContain("Ann\\u001b[2JAnn\\u000aacc_1  BobAnn\\u0009proAnn\\u007fAnn\\u009b2JAnn\\u061c")
    expect(out.replaceAll("\n", "")).not.toMatch(hidden)
    if (argv.at(-1) === "list") expect(out.trimEnd().split("\n")).toHaveLength(2)
  }
})

test("an old name with hidden characters is escaped where it is shown, in JSON, which keeps the name", async () => {
  const { db } = await oldStore()
  for (const table of ["account", "key"]) {
    const { out } = await run(db, table, "list", "--json")
    expect(out.trimEnd()).not.toMatch(hidden)
    expect(JSON.parse(out)).toMatchObject([{ name: evil }])
  }
})

test("an old name with hidden characters is escaped where it is shown, in messages that repeat what was typed", async () => {
  const { db } = await oldStore()
  for (const argv of [
    ["account", "show", evil],
    ["account", evil],
    ["account", "list", `--${evil}`],
  ]) {
    const { out, err } = await run(db, ...argv)
    expect(out).toBe("")
    expect(err).toContain("\\u202e")
    expect(err.replaceAll(/[\n\t]/g, "")).not.toMatch(hidden)
  }
})

test("what an API returns stays the same JSON value", async () => {
  const lines = ["b\u202e\u009b", "a\u2028\u0007"]
  const argv = ["call", "linesorter", ...lines.flatMap((line) => ["--lines", line])]
  for (const flags of [[], ["--json"]]) {
    const { code, out } = await runCliForTest([...argv, ...flags])
    expect(code).toBe(0)
    expect(out.replaceAll("\n", "")).not.toMatch(hidden)
    expect(JSON.parse(out).sorted).toEqual(lines.toReversed())
  }
})
