/** The files of `account import`: what makes one unreadable, and that its cells are read as they were written. */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import fc from "fast-check"
import { readCsvFile } from "../src/surfaces/cli/admin/csv-file.ts"
import { importFile, linesOf, namesIn, openPlace, toCsv, useCsvFiles } from "./support/account-import.ts"
import { runLine } from "./support/admin-cli.ts"

const { dir, write } = useCsvFiles()
let stores = 0

describe("a file that cannot be imported", async () => {
  const place = await openPlace(async () => join(dir, "bad.db"))
  const zero = "so nothing was imported."
  test.each([
    [
      "without content",
      "",
      "Line 1: There is no line with an account. Begin with the names of the columns, such as name,plan,",
    ],
    ["without lines", "name,plan\r\n\r\n", "Line 3: There is no line with an account."],
    [
      "with an unknown column",
      "name,id\nAnn,1\n",
      "Line 1, column 'id': There is no such column. The columns may be name,",
    ],
    [
      "with a column twice",
      "name,plan,plan\nAnn,free,pro\n",
      "Line 1, column 'plan': This column comes twice.",
    ],
    ["without names", "plan\nfree\n", "Line 1, column 'name': This column is needed, and missing."],
    ["with semicolons", "name;plan\nAnn;pro\n", "with commas between."],
    ["with a name of a column in capitals", "Name\nAnn\n", "Line 1, column 'Name': There is no such column."],
    [
      "with a quote that does not close",
      'name,plan\nAnn,pro\n"Bob,free\nCy,free\n',
      "Line 3, column 'name': A quote opens here and does not close. The lines after it were not read.",
    ],
    [
      "with an open quote and much after it",
      `name\n"Ann\n${"Bob\n".repeat(6_000)}`,
      "Line 2, column 'name': The line has over 20,000 characters, or a quote in it does not close.",
    ],
    [
      "with a quote in a cell",
      'name,plan\nAnn,pro\nBob "B" Lee,free\n',
      "Line 3, column 'name': A quote is inside a cell. Put the whole cell in quotes",
    ],
    [
      "with text after a quote",
      'name,plan\n"Ann" Lee,pro\n',
      "Line 2, column 'name': A quote is inside a cell.",
    ],
    [
      "with a cell too many",
      "name,plan\nAnn,pro\nLee, Bob,free\n",
      "Line 3: Cells: 3, columns: 2. Put a cell that has a comma in quotes, and write a comma also before an empty cell.",
    ],
    ["with a cell too few", "name,plan\n\nAnn\n", "Line 3: Cells: 1, columns: 2."],
    [
      "in Latin-1",
      Buffer.from("name\nAnn\nJürgen\n", "latin1"),
      "Line 3, column 'name': A character is not UTF-8. Save the file as CSV in UTF-8.",
    ],
    ["in UTF-16", Buffer.from("\ufeffname\r\nAnn\r\n", "utf16le"), "Line 1: A character is not UTF-8."],
    [
      "with half a character at its end",
      Buffer.from("name\nAnn\nJü").subarray(0, -1),
      "Line 3, column 'name': A character is not UTF-8.",
    ],
  ])("%s", async (_, content, text) => {
    const { code, out, err } = await importFile(write(content), place)
    expect([code, out]).toEqual([1, ""])
    expect(err).toContain(zero)
    expect(err).toContain(text)
    expect(await namesIn(place)).toEqual(["Zed"])
  })

  test("that is missing, a folder, or not named is wrong usage", async () => {
    const missing = await importFile(join(dir, "missing.csv"), place)
    const unreadable = expect.stringContaining("missing.csv cannot be read: ENOENT")
    expect([missing.code, missing.err]).toEqual([2, unreadable])
    expect((await importFile(dir, place)).code).toBe(2)
    const { code, err } = await runLine("account import --db x.db")
    expect([code, err]).toEqual([2, expect.stringContaining("missing required argument 'FILE'")])
  })

  test("is not imported into a store that is not there", async () => {
    const { code, err } = await runLine(`account import ${write("name\nAnn\n")} --db ${join(dir, "none.db")}`)
    expect([code, err]).toEqual([1, expect.stringContaining("There is no data file")])
  })
})

test.each([
  ["with CRLF", toCsv(linesOf(3), "\r\n")],
  ["with a byte order mark", `\ufeff${toCsv(linesOf(3))}`],
  ["without a line break at the end", toCsv(linesOf(3)).trimEnd()],
  ["with empty lines", toCsv(linesOf(3)).replaceAll("\n", "\n\n")],
])("a file %s is imported", async (_, content) => {
  const place = await openPlace(async () => join(dir, `good-${++stores}.db`))
  expect(await importFile(write(content), place)).toMatchObject({ code: 0, err: "" })
  expect(await namesIn(place)).toHaveLength(4)
})

test("any cells are read as they were written, with the lines in which they begin", async () => {
  const cell = fc.string({
    unit: fc.constantFrom("a", ",", '"', "\n", "\r\n", " ", "é", "😀", "'", ";"),
    maxLength: 8,
  })
  const table = fc.array(fc.tuple(cell, cell), { maxLength: 12 })
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("", "\ufeff"),
      async (rows, end, mark) => {
        const lines = ["name,plan", ...rows.map((cells) => cells.map(quoted).join(","))]
        const file = write(mark + lines.join(end))
        const read = await readCsvFile(file, Type.Object({ name: Type.String(), plan: Type.String() }))
        let line = 2
        const expected = rows.map((cells) => {
          const start = line
          line += 1 + cells.join("").split("\n").length - 1
          const values = Object.entries({ name: cells[0], plan: cells[1] }).filter(([, cell]) => cell !== "")
          return { line: start, values: Object.fromEntries(values) }
        })
        expect(read.lines).toEqual(expected)
      },
    ),
    { seed: 28, numRuns: 300 },
  )
})
