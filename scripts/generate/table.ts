/** A Markdown table. A `|` inside a cell is escaped. */
export const toTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |\n`).join("")

const escapeCell = (cell: string): string => cell.replaceAll("|", "\\|")
