import type { ComponentChildren } from "preact"
import type { EntryOf } from "../client/operations.ts"
import { useRead } from "../client/use-read.ts"
import { Empty, Ready } from "../kit/page.tsx"
import { actionsColumn, type Column, Table } from "../kit/table.tsx"
import { formatNumber, lines, Tag, Time } from "../kit/text.tsx"

/** A change of credits by hand. It leaves out who made it, since customers do not see that. */
export type Adjustment = Omit<EntryOf<"credits.list">, "made_by">

/** The most that are shown; statements have all. */
const mostShown = 20

const columns: readonly Column<Adjustment>[] = [
  {
    title: "Why",
    isName: true,
    cell: ({ reason, reference, undone_by }) =>
      lines([`${reason} `, undone_by !== null && <Tag key="undone">undone</Tag>], reference),
  },
  { title: "When", cell: ({ at }) => <Time at={at} style="instant" /> },
  {
    title: "Credits",
    isNumber: true,
    cell: ({ credits }) => `${credits > 0 ? "+" : ""}${formatNumber(credits)}`,
  },
]

interface AdjustmentsProps {
  readonly account: string
  /** The buttons of an entry. */
  actionsOf?(entry: Adjustment): ComponentChildren
}

/** The latest changes of the bonus of an account. */
export function Adjustments({ account, actionsOf }: AdjustmentsProps) {
  const reading = useRead("credits.list", { id: account, limit: mostShown })
  const shown = actionsOf ? [...columns, actionsColumn(actionsOf)] : columns
  return (
    <Ready reading={reading} what="adjustments">
      {({ data, has_more }) => (
        <>
          <Table
            caption="Adjustments of credits"
            columns={shown}
            rows={data}
            empty={<Empty title="No adjustments">Credits that are added or taken appear here.</Empty>}
          />
          {has_more && <p class="muted">These are the last {mostShown}. Statements have all.</p>}
        </>
      )}
    </Ready>
  )
}
