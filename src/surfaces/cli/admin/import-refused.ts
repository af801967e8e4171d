/** What is wrong with a line of a file. */
export interface LineMistake {
  /** Counted from 1. An entry with line breaks in its cells has the line in which it begins. */
  readonly line: number
  /** The name of its column; null if it is about the line. */
  readonly column: string | null
  /** What to change. */
  readonly detail: string
}

/** A file was not imported, or not all of it. The message names the mistakes, and says what to do. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused"
}

/** The most mistakes that are shown. */
const maxShown = 100

/** The first mistakes of a file, one a line, and how many more there are. */
export function listMistakes(mistakes: readonly LineMistake[]): string {
  const lines = mistakes.slice(0, maxShown).map(({ line, column, detail }) => {
    return `Line ${line}${column === null ? "" : `, column '${column}'`}: ${detail}`
  })
  const more = mistakes.length - lines.length
  return [...lines, ...(more > 0 ? [`There are ${group(more)} more mistakes.`] : [])].join("\n")
}

/** A number with separators. */
export function group(count: number): string {
  return count.toLocaleString("en-US")
}
