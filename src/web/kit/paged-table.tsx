import type { ComponentChildren } from "preact"
import { useRef } from "preact/hooks"
import { query, setQuery } from "../client/address.ts"
import type { EntryOf, ListId, ReadInput } from "../client/operations.ts"
import { Problem } from "../client/problem.ts"
import { useRead } from "../client/use-read.ts"
import { Button } from "./button.tsx"
import { Empty, Ready } from "./states.tsx"
import { type Column, Table } from "./table.tsx"

interface PagedTableProps<Id extends ListId> {
  /** A plural for the rows: "accounts". */
  readonly what: string
  readonly operation: Id
  readonly filters: ReadInput<Id>
  readonly columns: readonly Column<EntryOf<Id>>[]
  keyOf(row: EntryOf<Id>): string
  /** Shown when the list without filters is empty. */
  readonly empty: ComponentChildren
  /** A number that rises when the rows have changed. */
  readonly version?: number
}

const pageSize = 50

/** A list, page by page. The cursor is in the address, and only one page is kept, so a list may have any length. */
export function PagedTable<Id extends ListId>(props: PagedTableProps<Id>) {
  const { what, operation, filters, columns, keyOf, empty, version } = props
  const after = query.value.get("after")
  const before = useRef<(string | null)[]>([])
  const reading = useRead(operation, { ...filters, limit: pageSize, after }, version)
  const isFiltered = Object.values(filters).some(
    (value) => value !== null && value !== undefined && value !== "",
  )

  function forward(next: string): void {
    // While loading, the previous page is shown.
    if (reading.isLoading) return
    before.current.push(after)
    setQuery({ after: next })
  }

  function back(): void {
    setQuery({ after: before.current.pop() ?? null })
  }

  /** The cursor in an old address may no longer be valid. */
  function reload(): void {
    if (reading.error instanceof Problem && reading.error.parameter === "after") setQuery({ after: null })
    else reading.reload()
  }

  return (
    <Ready reading={{ ...reading, reload }} what={what}>
      {({ data, next }) =>
        data.length === 0 && after === null && next === null ? (
          isFiltered ? (
            <Empty title={`No ${what} match`}>Change or clear the filters above.</Empty>
          ) : (
            empty
          )
        ) : (
          <>
            {data.length === 0 ? (
              <Empty title={`No ${what} on this page`}>
                {next === null
                  ? "This is the end."
                  : "Many were looked at. The next page goes on with older ones."}
              </Empty>
            ) : (
              <div class="card flush">
                <Table caption={what} columns={columns} rows={data} keyOf={keyOf} />
              </div>
            )}
            {(after !== null || next !== null) && (
              <nav class="pages" aria-label={`Pages of ${what}`}>
                <Button icon="back" disabled={after === null} onClick={back}>
                  {before.current.length > 0 || after === null ? "Previous page" : "First page"}
                </Button>
                <Button disabled={next === null} onClick={() => next !== null && forward(next)}>
                  Next page
                </Button>
              </nav>
            )}
          </>
        )
      }
    </Ready>
  )
}
