import { styleText } from "node:util"

/** A column of a table. */
interface Column {
  readonly name: string
  /** Numbers are aligned to the right, so that their digits line up. */
  readonly isNumber: boolean
  /** Whether its texts may be shortened first: the beginning of ids tells them apart, and `--wide` shows them whole. */
  readonly isId?: boolean
  /** Whether it is shown only where there is room for it after all others. Such columns are the last ones. */
  readonly isExtra?: boolean
}

interface TableOptions {
  /** Columns of the terminal; null when the table goes to a file or a program, and nothing is cut. */
  readonly width: number | null
  readonly colours: boolean
}

/** The columns to which a long text may be cut. Shorter texts, such as times, are shown whole or left out. */
const minWidth = 8
/** The columns to which an id may be cut: its kind and enough to tell it from others. */
const minIdWidth = 12
const longText = 24
const gap = "  "

/**
 * Lays out rows of cells, whose hidden characters are escaped, under a line of names. Where they do not fit, ids are cut first,
 * then long texts; then columns are left out, the last ones first.
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
  const widths = width === null ? natural : fitWidths(natural, columns, width)
  const toLine = (cells: readonly string[]) =>
    widths
      .map((most, index) => pad(cells[index] ?? "", most, columns[index]?.isNumber === true))
      .join(gap)
      .trimEnd()
  const head = toLine(names)
  const lines = [colours ? styleText("bold", head, { validateStream: false }) : head, ...rows.map(toLine)]
  return lines.map((line) => `${line}\n`).join("")
}

/** The widths of the columns that are shown: extra ones as far as they fit, and else the first of the others. */
function fitWidths(natural: readonly number[], columns: readonly Column[], width: number): readonly number[] {
  const usual = columns.filter(({ isExtra }) => !isExtra).length
  let count = natural.length
  while (count > usual && sum(natural.slice(0, count)) > width) count--
  return shrink(natural.slice(0, count), columns, width)
}

/** The widths of the first columns that fit, all of them if possible. */
function shrink(natural: readonly number[], columns: readonly Column[], width: number): readonly number[] {
  const shortIds = natural.map((one, index) => (columns[index]?.isId ? Math.min(one, minIdWidth) : one))
  const least = shortIds.map((one, index) => (one > longText && !columns[index]?.isId ? minWidth : one))
  let count = natural.length
  while (count > 1 && sum(least.slice(0, count)) > width) count--
  const widths = cutTo(natural.slice(0, count), shortIds, width)
  return cutTo(widths, least, width)
}

/** Takes from the widest column, as long as it is wider than its least width, until all fit. */
function cutTo(from: readonly number[], least: readonly number[], width: number): readonly number[] {
  const widths = [...from]
  for (let excess = sum(widths) - width; excess > 0; excess--) {
    const widest = Math.max(...widths.filter((one, index) => one > (least[index] ?? 0)))
    if (!Number.isFinite(widest)) break
    widths[widths.findIndex((one, index) => one === widest && one > (least[index] ?? 0))] = widest - 1
  }
  return widths
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, one) => total + one + gap.length, -gap.length)
}

function pad(text: string, width: number, isNumber: boolean): string {
  const cut = Bun.stringWidth(text) > width ? `${Bun.sliceAnsi(text, 0, width - 1)}…` : text
  const space = " ".repeat(Math.max(0, width - Bun.stringWidth(cut)))
  return isNumber ? space + cut : cut + space
}
