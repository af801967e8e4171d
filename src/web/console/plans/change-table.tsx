import type { AnswerOf } from "../../client/operations.ts"
import { type Column, Table } from "../../kit/table.tsx"
import { Tag } from "../../kit/text.tsx"
import { Value } from "../audit/changes.tsx"

type Change = AnswerOf<"config.diff">["data"][number]

const columns: readonly Column<Change>[] = [
  { title: "Setting", isName: true, cell: ({ setting }) => <code>{setting}</code> },
  {
    title: "Current",
    cell: ({ before }) => (
      <del>
        <Value value={before} />
      </del>
    ),
  },
  {
    title: "New",
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
export function ChangeTable({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <div class="card flush">
      <Table caption="changes" columns={columns} rows={changes} keyOf={({ setting }) => setting} />
    </div>
  )
}
