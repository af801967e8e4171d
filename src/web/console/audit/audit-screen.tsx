import { addressOf } from "../../client/address.ts"
import { addressOfRead, type EntryOf } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { CopyId } from "../../kit/copy-id.tsx"
import { DayFilter, Filters, filterValues, TextFilter } from "../../kit/filters.tsx"
import { Icon } from "../../kit/icon.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty } from "../../kit/states.tsx"
import type { Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { Changes } from "./changes.tsx"

const columns: readonly Column<EntryOf<"audit.list">>[] = [
  {
    title: "What",
    isName: true,
    cell: ({ operation, target_kind, target, account }) => (
      <>
        {operation}
        <span class="below">
          {target_kind} <Target kind={target_kind} id={target} />
        </span>
        {account !== null && target_kind !== "account" && (
          <span class="below">
            of account <Target kind="account" id={account} />
          </span>
        )}
      </>
    ),
  },
  { title: "Changes", cell: ({ before, after }) => <Changes before={before} after={after} /> },
  {
    title: "Who",
    cell: ({ actor, actor_name, source }) => (
      <>
        {actor_name}
        <span class="below">{actor}</span>
        <span class="below">from {source}</span>
      </>
    ),
  },
  {
    title: "When",
    cell: ({ at, request_id }) => (
      <>
        <Time at={at} style="instant" />
        {request_id !== "" && (
          <span class="below">
            <CopyId id={request_id} />
          </span>
        )}
      </>
    ),
  },
]

/** The audit log. */
export function AuditScreen() {
  const filters = filterValues("operation", "actor", "target", "account", "from", "to")
  const total = useRead("audit.list", { ...filters, limit: 1, total: true })
  return (
    <Page
      title="Audit"
      intro={
        <>
          Every change by an operator, a customer or a command, newest first. A record is never changed; only{" "}
          <code>penknife audit prune</code> deletes old ones.
        </>
      }
      actions={
        may("audit.export") && (
          <a class="button plain" href={addressOfRead("audit.export", filters)} download="audit.jsonl">
            <Icon name="download" />
            Save as JSON lines
          </a>
        )
      }
    >
      <Filters label="Filter records">
        <TextFilter name="operation" label="Operation" placeholder="keys.revoke" isShort />
        <TextFilter name="actor" label="Who" placeholder="admin-key:adm_…" isShort />
        <TextFilter name="target" label="Target" placeholder="key_…" isShort />
        <TextFilter name="account" label="Account" placeholder="acc_…" isShort />
        <DayFilter name="from" label="From" />
        <DayFilter name="to" label="Before" />
      </Filters>
      <div class="top">
        <PagedTable
          what="records"
          operation="audit.list"
          filters={filters}
          total={total.data?.total ?? null}
          columns={columns}
          keyOf={({ id }) => id}
          empty={<Empty title="No changes yet">The first change that anyone makes will be here.</Empty>}
        />
      </div>
    </Page>
  )
}

/** An id, as a link if it has a screen. */
function Target({ kind, id }: { readonly kind: string; readonly id: string }) {
  const screens = { account: ["/accounts", "accounts.get"], key: ["/keys", "keys.get"] } as const
  const screen = kind in screens ? screens[kind as keyof typeof screens] : null
  return (
    <CopyId id={id}>
      {screen && may(screen[1]) ? <a href={addressOf(`${screen[0]}/${id}`)}>{id}</a> : <span>{id}</span>}
    </CopyId>
  )
}
