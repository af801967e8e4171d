import type { ComponentChildren, RefObject } from "preact"
import { useRef } from "preact/hooks"

/** A column of a table. */
export interface Column<Row> {
  readonly title: string
  cell(row: Row): ComponentChildren
  /** Numbers stand at the end, so that their digits are below each other. */
  readonly isNumber?: boolean
  /** The cell that says which row it is; it is the row's heading. */
  readonly isName?: boolean
}

/** The last column, with the buttons of a row. */
export function actionsColumn<Row>(cell: Column<Row>["cell"]): Column<Row> {
  return { title: "Actions", cell: (row) => <div class="row-actions row">{cell(row)}</div> }
}

/** The selected rows. The first column then has a box for each row. */
export interface Selection<Row> {
  /** The noun for the rows: "accounts". */
  readonly what: string
  readonly keys: ReadonlySet<string>
  /** The box of all rows. */
  readonly head: RefObject<HTMLInputElement | null>
  nameOf(row: Row): string
  set(keys: readonly string[], isSelected: boolean): void
}

interface TableProps<Row> {
  /** The table's contents, for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Tells rows apart; their `id` by default. */
  readonly keyOf?: ((row: Row) => string) | undefined
  /** Shown instead of a table without rows. */
  readonly empty?: ComponentChildren
  /** How the card around it differs from others: its width, the size of its text, or that cells begin at the top of a row. */
  readonly card?: "narrow" | "dense" | "top" | undefined
  /** True for a table that stands in a card with other things. */
  readonly isBare?: boolean
  /** True for a few narrow columns, which fit side by side on any screen. */
  readonly isNarrow?: boolean
  /** Null or absent if rows cannot be selected. */
  readonly selection?: Selection<Row> | null | undefined
}

/**
 * A table. On a narrow screen each row is a card, whose cells say their column. Safari would then take it for no table, so the
 * roles are written.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, keyOf = idOf, empty, card = "", isBare, isNarrow, selection } = props
  const keys = selection ? rows.map(keyOf) : []
  // With Shift, a box is set together with all between it and the one before.
  const last = useRef("")

  function selectRow(key: string, { currentTarget, shiftKey }: BoxEvent): void {
    const from = shiftKey && keys.includes(last.current) ? keys.indexOf(last.current) : keys.indexOf(key)
    const to = keys.indexOf(key)
    last.current = key
    selection?.set(keys.slice(Math.min(from, to), Math.max(from, to) + 1), currentTarget.checked)
  }

  if (rows.length === 0 && empty !== undefined) return empty
  const table = (
    <table class={isNarrow ? "table plain" : "table"} role="table">
      <caption class="hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {selection && <SelectAll selection={selection} keys={keys} />}
          {columns.map(({ title, isNumber }) => (
            <th key={title} role="columnheader" scope="col" class={isNumber ? "number" : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row" class={selection?.keys.has(keyOf(row)) ? "selected" : undefined}>
            {selection && (
              <td role="cell" class="select">
                <label>
                  <input
                    type="checkbox"
                    aria-label={`Select ${selection.nameOf(row)}`}
                    checked={selection.keys.has(keyOf(row))}
                    onClick={(event) => selectRow(keyOf(row), event)}
                  />
                </label>
              </td>
            )}
            {columns.map((column) => (
              <Cell key={column.title} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
  return isBare ? table : <div class={`card flush ${card}`}>{table}</div>
}

function idOf(row: unknown): string {
  return typeof row === "object" && row !== null && "id" in row ? String(row.id) : ""
}

interface BoxEvent {
  readonly currentTarget: HTMLInputElement
  readonly shiftKey: boolean
}

interface SelectAllProps {
  readonly selection: Pick<Selection<never>, "what" | "keys" | "head" | "set">
  readonly keys: readonly string[]
}

/** The box of all rows of the page. */
function SelectAll({ selection: { what, keys: selected, head, set }, keys }: SelectAllProps) {
  const count = keys.filter((key) => selected.has(key)).length
  return (
    <th role="columnheader" scope="col" class="select">
      <label>
        <input
          ref={head}
          type="checkbox"
          checked={count === keys.length}
          indeterminate={count > 0 && count < keys.length}
          onClick={({ currentTarget }) => set(keys, currentTarget.checked)}
        />
        <span class="select-all">Select all {what} of this page</span>
      </label>
    </th>
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
