import { expect, test } from "bun:test"
import { toTable } from "./table.ts"

const columns = [
  { name: "at", isNumber: false },
  { name: "id", isNumber: false, isId: true },
  { name: "name", isNumber: false },
  { name: "calls", isNumber: true },
]
const row = ["2027-01-31 12:00", "acc_0123456789abcdef", "a name that is longer than all others", "1,000"]
const lay = (width: number | null) => toTable(columns, [row], { width, colours: false }).trimEnd().split("\n")

test("a table that fits is shown whole", () => {
  expect(lay(null)[1]).toBe(row.join("  "))
  expect(lay(200)[1]).toBe(row.join("  "))
})

test.each([
  ["ids first", 78, "2027-01-31 12:00  acc_012345678…  a name that is longer than all others  1,000"],
  ["then long texts", 60, "2027-01-31 12:00  acc_0123456…  a name that is longe…  1,000"],
  ["then columns are left out", 40, "2027-01-31 12:00  acc_0123456…  a name …"],
])("where it does not fit, %s are cut", (_, width, line) => {
  expect(lay(width)[1]).toBe(line)
  for (const one of lay(width)) expect(Bun.stringWidth(one)).toBeLessThanOrEqual(width)
})

test("extra columns are shown in a file, and in a terminal that has room for them beside all others", () => {
  const all = [...columns, { name: "key", isNumber: false, isExtra: true }]
  const layAll = (width: number | null) =>
    toTable(all, [[...row, "key_1"]], { width, colours: false })
      .trimEnd()
      .split("\n")[1]
  const whole = row.join("  ")
  expect([layAll(null), layAll(whole.length + 7)]).toEqual([`${whole}  key_1`, `${whole}  key_1`])
  expect(layAll(whole.length + 6)).toBe(whole)
  expect(layAll(78)).toBe(lay(78)[1])
})
