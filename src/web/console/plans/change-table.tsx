import type { ConfigChanges } from "../../client/types.ts"
import { type Column, Table } from "../../kit/table.tsx"
import { Tag } from "../../kit/text.tsx"
import { Value } from "../audit/changes.tsx"

type Change = ConfigChanges["data"][number]

const columns: readonly Column<Change>[] = [
  { title: "Setting", isName: true, cell: ({ setting }) => <code>{setting}</code> },
  {
    title: "Now",
    cell: ({ before }) => (
      <del>
        <Value value={before} />
      </del>
    ),
  },
  {
    title: "Then",
    cell: ({ after, needs_restart }) => (
      <>
        <ins>
          <Value value={after} />
        </ins>
        {needs_restart && <Tag tone="warn">after a restart</Tag>}
      </>
    ),
  },
]

/** Settings that differ, before and after. */
export function ChangeTable({ changes }: { readonly changes: Pick<ConfigChanges, "data"> }) {
  return (
    <div class="card flush">
      <Table caption="changes" columns={columns} rows={changes.data} keyOf={({ setting }) => setting} />
    </div>
  )
}
