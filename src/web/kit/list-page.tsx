import type { ComponentChildren } from "preact"
import type { ListId, ReadInput } from "../client/operations.ts"
import type { Choices } from "./field.tsx"
import { ChoiceFilter, Filters, filterValue, TextFilter, TimeFilter } from "./filters.tsx"
import { Page, type PageProps } from "./page.tsx"
import { PagedTable, type PagedTableProps } from "./paged-table.tsx"

/** A filter of a list: one with choices, of which the empty value stands for all, a day, or a text. */
interface ListFilter<Name> {
  readonly name: Name
  readonly label: string
  readonly choices?: Choices
  /** Whether other values of the address count too, such as a plan that is not known yet. */
  readonly isOpen?: boolean
  readonly isDay?: boolean
  readonly placeholder?: string
  /** For a row of many filters. */
  readonly isShort?: boolean
}

interface ListPageProps<Id extends ListId>
  extends Omit<PagedTableProps<Id>, "filters" | "what">,
    Pick<PageProps, "title" | "intro" | "actions"> {
  /** A plural for the rows; the title's words by default. */
  readonly what?: string
  readonly filters?: readonly ListFilter<keyof ReadInput<Id> & string>[]
  /** Returns the parameters of the list, where they are not those of the filters. */
  readonly toInput?: (values: ReadInput<Id>) => ReadInput<Id>
  /** Shown instead of the list, such as what is missing in a filter. */
  readonly instead?: ComponentChildren
}

/** A screen that is one list, with its filters above it. The console's mails are the model to copy. */
export function ListPage<Id extends ListId>(props: ListPageProps<Id>) {
  const { title, intro, actions, filters = [], toInput, instead, ...table } = props
  const { what = title.toLowerCase() } = table
  // Flags and numbers are texts here: they go from one address into another.
  const values = Object.fromEntries(filters.map((filter) => [filter.name, valueIn(filter)])) as ReadInput<Id>
  return (
    <Page title={title} intro={intro} actions={actions}>
      {filters.length > 0 && (
        <Filters label={`Filter ${what}`}>
          {filters.map(({ choices, isOpen, isDay, ...filter }) =>
            choices ? (
              <ChoiceFilter key={filter.name} {...filter} choices={choices} isFixed={!isOpen} />
            ) : isDay ? (
              <TimeFilter key={filter.name} {...filter} isDay />
            ) : (
              <TextFilter key={filter.name} {...filter} />
            ),
          )}
        </Filters>
      )}
      {instead || <PagedTable {...table} what={what} filters={toInput ? toInput(values) : values} />}
    </Page>
  )
}

/** Any other value than the choices counts for nothing. */
function valueIn({ name, choices, isOpen }: ListFilter<string>): string | null {
  const value = filterValue(name)
  return !choices || isOpen || choices.some(([each]) => each === value) ? value : null
}
