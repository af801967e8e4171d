import type { ComponentChildren } from "preact"
import { isAfterStep, query, setQuery } from "../client/address.ts"
import { addressOfRead, type EntryOf, type ListId, type ReadInput } from "../client/operations.ts"
import { Problem } from "../client/request.ts"
import { useRead } from "../client/use-read.ts"
import type { Bulk } from "./bulk.tsx"
import { Button, LinkButton } from "./dialog.tsx"
import { Empty, ErrorBox, Ready } from "./page.tsx"
import { type Column, Table } from "./table.tsx"
import { formatNumber } from "./text.tsx"

/** The properties of a {@link PagedTable}. */
export interface PagedTableProps<Id extends ListId> {
  /** A plural for the rows: "accounts". */
  readonly what: string
  readonly operation: Id
  readonly filters: ReadInput<Id>
  readonly columns: readonly Column<EntryOf<Id>>[]
  readonly keyOf?: (row: EntryOf<Id>) => string
  /** Shown when the list without filters is empty. */
  readonly empty: ComponentChildren
  /** Whether the service can count the entries of all pages. */
  readonly hasTotal?: boolean
  /** False where the screen has a button for the CSV file. */
  readonly hasCsv?: boolean
  /** Whether the cells of a row begin at its top: for rows of several lines. */
  readonly isTop?: boolean
  /** The result of {@link useBulk}: rows can be selected, to change several at once. */
  readonly bulk?: Bulk<EntryOf<Id>> | null
}

/** A number of entries, as lists with the parameter `total` answer it. */
interface Total {
  readonly count: number
  readonly is_exact: boolean
}

const pageSizes = ["50", "100", "250", "500"] as const

/**
 * A list, page by page. Filters, order, size and place are in the address, so that the browser's back button leads to the page
 * before. Only one page is kept, so a list may have any length.
 */
export function PagedTable<Id extends ListId>(props: PagedTableProps<Id>) {
  const { what, operation, filters, columns, keyOf, empty, bulk, hasTotal = false, isTop = false } = props
  const after = query.value.get("after")
  const first = after === null ? 1 : toCount(query.value.get("first"))
  const size = pageSizes.find((each) => each === query.value.get("rows")) ?? pageSizes[0]
  const reading = useRead(operation, { ...filters, limit: Number(size), after })
  const counting = useRead(hasTotal ? operation : null, { ...filters, sort: null, limit: 1, total: true })
  const counted: { readonly total?: Total; readonly has_more?: boolean } = counting.data ?? {}
  const { hasCsv = true } = props
  const isFiltered = Object.values(filters).some(
    (value) => value !== null && value !== undefined && value !== "",
  )

  function forward(next: string): void {
    // While loading, the previous page is shown.
    if (reading.isLoading) return
    setQuery({ after: next, first: first + (reading.data?.data.length ?? 0) }, true)
  }

  /** An address that was opened has no page before it. */
  function back(): void {
    if (isAfterStep()) history.back()
    else setQuery({ after: null, first: null })
  }

  const { error } = reading
  if (error instanceof Problem) {
    // The cursor in an old address may no longer be valid. To read it again never helps.
    if (error.parameter === "after")
      return (
        <ErrorBox
          error={error}
          onRetry={() => setQuery({ after: null, first: null })}
          retryLabel="First page"
        />
      )
    // The service runs without what would be listed.
    if (error.status === 409) return <Empty title={`No ${what}`}>{error.message}</Empty>
  }

  return (
    <Ready reading={reading} what={what}>
      {({ data, next }) =>
        data.length === 0 && after === null && next === null ? (
          isFiltered ? (
            <Empty title={`No ${what} match`}>Change or clear the filters above.</Empty>
          ) : (
            empty
          )
        ) : (
          <>
            <Table
              caption={what}
              columns={columns}
              rows={data}
              keyOf={keyOf}
              card={isTop ? "top" : undefined}
              selection={bulk?.selection}
              empty={
                <Empty title={`No ${what} on this page`}>
                  {next === null
                    ? "This is the end."
                    : "Many were looked at. The next page goes on with older ones."}
                </Empty>
              }
            />
            {bulk?.bar(data)}
            <nav class="pages row gap-3" aria-label={`Pages of ${what}`}>
              <Button icon="back" disabled={after === null} onClick={back}>
                {after === null || isAfterStep() ? "Previous page" : "First page"}
              </Button>
              <Button disabled={next === null} onClick={() => next !== null && forward(next)}>
                Next page
              </Button>
              <span class="muted" role="status">
                {rangeText(first, data.length, counted.total)}
              </span>
              <label class="page-size inline">
                Rows
                <select
                  value={size}
                  onChange={(event) =>
                    setQuery({ rows: event.currentTarget.value, after: null, first: null })
                  }
                >
                  {pageSizes.map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </select>
              </label>
              {hasCsv && (
                <LinkButton
                  icon="download"
                  href={addressOfRead(operation, { ...filters, format: "csv" })}
                  download
                >
                  CSV
                </LinkButton>
              )}
            </nav>
          </>
        )
      }
    </Ready>
  )
}

function toCount(text: string | null): number {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1
}

/** `1–50 of 10,001`. A count that ended before the last row says nothing. */
function rangeText(first: number, count: number, total: Total | undefined): string {
  const last = first + count - 1
  const range = count === 0 ? "0" : `${formatNumber(first)}–${formatNumber(last)}`
  if (!total || (!total.is_exact && total.count <= last)) return range
  return `${range} of ${total.is_exact ? "" : "more than "}${formatNumber(total.count)}`
}
