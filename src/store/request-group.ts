/** A place of a block in a group, and when its requests ended. */
export interface GroupedBlock {
  readonly atMs: number
  readonly fromMs: number
  readonly process: string
}

/** The names of blocks as parameters, for {@link isOneOf}. */
export function placesOf(blocks: readonly Pick<GroupedBlock, "atMs" | "process">[]): (string | number)[] {
  return blocks.flatMap(({ atMs, process }) => [atMs, process])
}

/** The condition that a row is one of these blocks. Its parameters are their {@link placesOf}, and no others. */
export function isOneOf(blocks: readonly unknown[]): string {
  const places = blocks.map((_, n) => `($${2 * n + 1}::bigint, $${2 * n + 2}::text)`)
  return `(at_ms, process) IN (VALUES ${places.join(", ")})`
}

/** The blocks of a group as JSON: three numbers each, of which the third is a place in `processes`. */
type GroupText = { readonly processes: readonly string[]; readonly blocks: readonly number[] }

/** The blocks of a group as text. The order gives each its number. */
export function toGroupText(blocks: readonly GroupedBlock[]): string {
  const processes = [...new Set(blocks.map(({ process }) => process))]
  const numbers = blocks.flatMap(({ atMs, fromMs, process }) => [atMs, fromMs, processes.indexOf(process)])
  return JSON.stringify({ processes, blocks: numbers } satisfies GroupText)
}

/** The blocks of a group, in the order of their numbers. */
export function readGroupText(text: string): readonly GroupedBlock[] {
  const { processes, blocks }: GroupText = JSON.parse(text)
  return Array.from({ length: blocks.length / 3 }, (_, n) => ({
    atMs: blocks[3 * n] ?? 0,
    fromMs: blocks[3 * n + 1] ?? 0,
    process: processes[blocks[3 * n + 2] ?? 0] ?? "",
  }))
}

/** The numbers of blocks as hexadecimal bits, the first block in the lowest bit of the first byte. */
export function toMembers(numbers: readonly number[]): string {
  const bytes = Buffer.alloc((Math.max(...numbers) >> 3) + 1)
  for (const number of numbers) bytes[number >> 3] = (bytes[number >> 3] ?? 0) | (1 << (number & 7))
  return bytes.toString("hex")
}

/** The numbers of the blocks that are members of all. */
export function commonMembers(texts: readonly string[]): readonly number[] {
  const [first = Buffer.alloc(0), ...others] = texts.map((text) => Buffer.from(text, "hex"))
  const numbers: number[] = []
  for (const [place, bits] of first.entries()) {
    const common = others.reduce((left, other) => left & (other[place] ?? 0), bits)
    for (let bit = 0; common >> bit > 0; bit++) if ((common >> bit) & 1) numbers.push(8 * place + bit)
  }
  return numbers
}

/** What a search finds a block by, as one text in which each value has a line break before and after it. */
export function toValueList(values: readonly string[]): string {
  return `\n${values.join("\n")}\n`
}

/** The part of a {@link toValueList} that one value is. */
export function inValueList(value: string): string {
  return `\n${value}\n`
}

export function valuesOfList(list: string): readonly string[] {
  return list.slice(1, -1).split("\n")
}
