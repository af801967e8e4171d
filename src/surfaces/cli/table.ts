import { styleText } from "node:util"

/** A column of a table. */
export interface Column {
  readonly name: string
  /** Numbers are aligned to the right, so that their digits line up. */
  readonly isNumber: boolean
}

export interface TableOptions {
  /** Columns of the terminal; null when the table goes to a file or a program, and nothing is cut. */
  readonly width: number | null
  readonly colours: boolean
}

/** The columns to which a long text may be cut. Shorter texts, such as ids and times, are shown whole or left out. */
const minWidth = 8
const longText = 24
const gap = "  "

/**
 * Lays out rows of cells, whose hidden characters are escaped, under a line of names. Where they do not fit, long texts are cut;
 * then columns are left out, the last ones first.
 */
export function toTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width, colours }: TableOptions,
): string {
  const names = columns.map(({ name }) => name)
  const natural = names.map((name, index) =>
    rows.reduce((most, row) => Math.max(most, Bun.stringWidth(row[index] ?? "")), Bun.stringWidth(name)),
  )
  const widths = width === null ? natural : shrink(natural, width)
  const toLine = (cells: readonly string[]) =>
    widths
      .map((most, index) => pad(cells[index] ?? "", most, columns[index]?.isNumber === true))
      .join(gap)
      .trimEnd()
  const head = toLine(names)
  const lines = [colours ? styleText("bold", head, { validateStream: false }) : head, ...rows.map(toLine)]
  return lines.map((line) => `${line}\n`).join("")
}

/** The widths of the first columns that fit, all of them if possible. */
function shrink(natural: readonly number[], width: number): readonly number[] {
  const least = natural.map((one) => (one > longText ? minWidth : one))
  let count = natural.length
  const sum = (widths: readonly number[]) =>
    widths.reduce((total, one) => total + one + gap.length, -gap.length)
  while (count > 1 && sum(least.slice(0, count)) > width) count--
  const widths = natural.slice(0, count)
  for (let excess = sum(widths) - width; excess > 0; excess--) {
    const widest = Math.max(...widths.filter((one, index) => one > (least[index] ?? 0)))
    if (!Number.isFinite(widest)) break
    widths[widths.indexOf(widest)] = widest - 1
  }
  return widths
}

function pad(text: string, width: number, isNumber: boolean): string {
  const cut = Bun.stringWidth(text) > width ? `${Bun.sliceAnsi(text, 0, width - 1)}…` : text
  const space = " ".repeat(Math.max(0, width - Bun.stringWidth(cut)))
  return isNumber ? space + cut : cut + space
}
