import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { path, query } from "../client/address.ts"
import { type BulkAction, BulkDialog } from "./bulk-dialog.tsx"
import { Button, hasWindow, openWindow } from "./dialog.tsx"
import type { Selection } from "./table.tsx"
import { formatNumber } from "./text.tsx"

/** The parts by which a list lets several of its rows be changed at once. */
export interface Bulk<Row> {
  /** For the table. */
  readonly selection: Selection<Row>
  /** The buttons for the selected ones of the rows that are shown; it stands after the table. */
  bar(rows: readonly Row[]): ComponentChildren
}

interface BulkProps<Row> {
  /** The noun for a row: "account". */
  readonly thing: string
  /** Tells rows apart: "acme". */
  nameOf(row: Row): string
  /** The changes on offer; a {@link bulkAction} that the user may not use is null. */
  readonly actions: readonly (BulkAction<Row> | null)[]
}

/** Lets the user select rows of a list, and change them together. Null if there is nothing that the user may do with them. */
export function useBulk<Row extends { readonly id: string }>(props: BulkProps<Row>): Bulk<Row> | null {
  const { thing, nameOf } = props
  const actions = props.actions.filter((action) => action !== null)
  const place = `${path.value}?${query.value}`
  const [selected, setSelected] = useState<Selected>({ place, keys: new Set() })
  const head = useRef<HTMLInputElement>(null)
  // Other rows are shown after a change of filter, order or page.
  const keys = selected.place === place ? selected.keys : none
  const select = (keys: Iterable<string>) => setSelected({ place, keys: new Set(keys) })

  // The button that had the focus has left with the selection.
  const before = useRef(0)
  useLayoutEffect(() => {
    if (before.current > 0 && keys.size === 0 && document.activeElement === document.body)
      head.current?.focus()
    before.current = keys.size
  }, [hasWindow(), keys.size])

  if (actions.length === 0) return null
  return {
    selection: {
      what: `${thing}s`,
      keys,
      head,
      nameOf,
      set: (changed, isSelected) =>
        select(isSelected ? [...keys, ...changed] : [...keys].filter((key) => !changed.includes(key))),
    },
    bar(shown) {
      const rows = shown.filter((row) => keys.has(row.id))
      const isShown = rows.length > 0
      // The count is always in the page, since screen readers ignore new regions.
      return (
        <section class={isShown ? "bulk row" : undefined} aria-label={`Selected ${thing}s`}>
          <strong role="status">{isShown && `${formatNumber(rows.length)} selected`}</strong>
          {isShown && (
            <Button kind="quiet" onClick={() => select([])}>
              Clear
            </Button>
          )}
          {isShown &&
            actions.map((action) => (
              <Button
                key={action.label}
                kind={action.danger ? "risky" : "plain"}
                onClick={() =>
                  openWindow(
                    // After Cancel all rows stay selected, after a run those that it did not change.
                    <BulkDialog
                      action={action}
                      rows={rows}
                      thing={thing}
                      nameOf={nameOf}
                      left={(rows) => select(rows.map(({ id }) => id))}
                    />,
                  )
                }
              >
                {action.label}
              </Button>
            ))}
        </section>
      )
    },
  }
}

interface Selected {
  /** The address of the list. */
  readonly place: string
  readonly keys: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()
