import type { ComponentChildren } from "preact"
import { useRef } from "preact/hooks"
import { query, setQuery } from "../client/address.ts"
import { Problem } from "../client/problem.ts"
import type { Query } from "../client/request.ts"
import type { Listed } from "../client/types.ts"
import { useRead } from "../client/use-read.ts"
import { Button } from "./button.tsx"
import { Empty, Ready } from "./states.tsx"
import { type Column, Table } from "./table.tsx"

interface PagedTableProps<Row> {
  /** What the rows are, in the plural: "accounts". */
  readonly what: string
  /** The list operation's path, such as `/accounts`. */
  readonly path: string
  readonly filters?: Query
  readonly columns: readonly Column<Row>[]
  keyOf(row: Row): string
  /** Stands there when the list without filters has no row. */
  readonly empty: ComponentChildren
  /** A number that rises when the rows have changed. */
  readonly version?: number
}

const pageSize = 50

/** A list, page by page. The place of the page is in the address, and only one page is kept, so a list may have any length. */
export function PagedTable<Row>(props: PagedTableProps<Row>) {
  const { what, path, filters = {}, columns, keyOf, empty, version } = props
  const after = query.value.get("after")
  const before = useRef<(string | null)[]>([])
  const reading = useRead<Listed<Row>>(path, { ...filters, limit: pageSize, after }, version)
  const isFiltered = Object.values(filters).some(
    (value) => value !== null && value !== undefined && value !== "",
  )

  function forward(next: string): void {
    // The page that is shown is then the one before.
    if (reading.isLoading) return
    before.current.push(after)
    setQuery({ after: next })
  }

  function back(): void {
    setQuery({ after: before.current.pop() ?? null })
  }

  /** An address may have a place that no longer is one. */
  function reload(): void {
    if (reading.error instanceof Problem && reading.error.parameter === "after") setQuery({ after: null })
    else reading.reload()
  }

  return (
    <Ready reading={{ ...reading, reload }} what={what}>
      {({ data, next }) =>
        data.length === 0 && after === null ? (
          isFiltered ? (
            <Empty title={`No ${what} match`}>Change or clear the filters above.</Empty>
          ) : (
            empty
          )
        ) : (
          <>
            <div class="card flush">
              <Table caption={what} columns={columns} rows={data} keyOf={keyOf} />
            </div>
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
