import type { ComponentChildren } from "preact"

export interface Column<Row> {
  readonly title: string
  cell(row: Row): ComponentChildren
  /** Numbers stand at the end, so that their digits are below each other. */
  readonly isNumber?: boolean
  /** The cell that says which row it is; it is the row's heading. */
  readonly isName?: boolean
}

interface TableProps<Row> {
  /** What the table shows, for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string
  /** True for a few narrow columns, which fit beside each other on any screen. */
  readonly isNarrow?: boolean
}

/**
 * A table. On a narrow screen each row is a card, whose cells say their column. Safari would then take it for no table, so the
 * roles are written.
 */
export function Table<Row>({ caption, columns, rows, keyOf, isNarrow }: TableProps<Row>) {
  return (
    <table class={isNarrow ? "table plain" : "table"} role="table">
      <caption class="hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, isNumber }) => (
            <th key={title} role="columnheader" scope="col" class={isNumber ? "number" : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map((column) => (
              <Cell key={column.title} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Cell<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const { title, isName, isNumber, cell } = column
  if (isName)
    return (
      <th role="rowheader" scope="row" class="name">
        {cell(row)}
      </th>
    )
  return (
    <td role="cell" class={isNumber ? "number" : undefined} data-label={title}>
      <div>{cell(row)}</div>
    </td>
  )
}
