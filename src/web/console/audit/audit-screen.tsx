import { addressOf } from "../../client/address.ts"
import { addressOfRead, type EntryOf } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { LinkButton } from "../../kit/dialog.tsx"
import { filterValues } from "../../kit/filters.tsx"
import { ListPage } from "../../kit/list-page.tsx"
import { Empty } from "../../kit/page.tsx"
import type { Column } from "../../kit/table.tsx"
import { CopyId, lines, Time } from "../../kit/text.tsx"
import { Changes } from "./changes.tsx"

const columns: readonly Column<EntryOf<"audit.list">>[] = [
  {
    title: "What",
    isName: true,
    cell: ({ operation, target_kind: kind, target, account }) =>
      lines(
        operation,
        [`${kind} `, <Target key="target" kind={kind} id={target} />],
        account !== null &&
          kind !== "account" && ["of account ", <Target key="account" kind="account" id={account} />],
      ),
  },
  { title: "Changes", cell: ({ before, after }) => <Changes before={before} after={after} /> },
  {
    title: "Who",
    cell: ({ actor, actor_name, source }) => lines(actor_name, actor, `from ${source}`),
  },
  {
    title: "When",
    cell: ({ at, request_id }) =>
      lines(<Time at={at} style="instant" />, request_id !== "" && <CopyId id={request_id} />),
  },
]

/** The audit log. */
export function AuditScreen() {
  return (
    <ListPage
      title="Audit"
      what="records"
      intro={
        <>
          Every change by an operator, a customer or a command, newest first. A record is never changed; only{" "}
          <code>penknife audit prune</code> deletes old ones.
        </>
      }
      actions={may("audit.export") && <SaveAll />}
      operation="audit.list"
      filters={filters}
      hasTotal
      columns={columns}
      isTop
      empty={<Empty title="No changes yet">The first change that anyone makes will be here.</Empty>}
    />
  )
}

const filters = [
  { name: "operation", label: "Operation", placeholder: "keys.revoke", isShort: true },
  { name: "actor", label: "Who", placeholder: "admin-key:adm_…", isShort: true },
  { name: "target", label: "Target", placeholder: "key_…", isShort: true },
  { name: "account", label: "Account", placeholder: "acc_…", isShort: true },
  { name: "from", label: "From", isDay: true },
  { name: "to", label: "Before", isDay: true },
] as const

/** Saves all records that the filters find. */
function SaveAll() {
  const values = filterValues(...filters.map(({ name }) => name))
  return (
    <LinkButton icon="download" href={addressOfRead("audit.export", values)} download="audit.jsonl">
      Save as JSON lines
    </LinkButton>
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
