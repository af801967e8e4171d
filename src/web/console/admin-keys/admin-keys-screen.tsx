import { nowMs } from "../../client/browser.ts"
import type { EntryOf } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { openWindow } from "../../kit/dialog.tsx"
import { FormButton } from "../../kit/form-dialog.tsx"
import { ListPage } from "../../kit/list-page.tsx"
import { Empty } from "../../kit/page.tsx"
import type { Column } from "../../kit/table.tsx"
import { lines, Tag, Time } from "../../kit/text.tsx"
import { ShownOnce } from "../../shared/shown-once.tsx"
import { Permissions, permissionField } from "../people/permission-fields.tsx"

type AdminKey = EntryOf<"admins.list">

const columns: readonly Column<AdminKey>[] = [
  { title: "Name", isName: true, cell: ({ name }) => name },
  { title: "Starts with", cell: ({ prefix }) => <span class="mono">{prefix}…</span> },
  { title: "Permissions", cell: ({ permissions }) => <Permissions names={permissions} /> },
  { title: "Created", cell: ({ created }) => <Time at={created} style="instant" /> },
  { title: "State", cell: (adminKey) => <State adminKey={adminKey} /> },
  {
    title: "Actions",
    cell: (adminKey) =>
      adminKey.revoked === null && may("admins.revoke") ? (
        <div class="row-actions row">
          <FormButton
            operation="admins.revoke"
            label="Revoke"
            of={adminKey.name}
            danger
            given={{ id: adminKey.id }}
            done={`The admin key ${adminKey.name} was revoked.`}
          >
            <p>
              The next request with it is refused, and sessions that it opened end. This cannot be undone.
            </p>
          </FormButton>
        </div>
      ) : (
        <span class="muted">–</span>
      ),
  },
]

/** Keys with which programs use the admin API. */
export function AdminKeysScreen() {
  const create = (
    <FormButton
      operation="admins.create"
      label="Create admin key"
      kind="primary"
      icon="plus"
      fields={{
        name: { hint: "What uses the key, such as billing." },
        expires: { hint: "Such as 30d or 2027-01-31. Empty for never." },
        may: permissionField([]),
      }}
      done={({ key }) =>
        openWindow(
          <ShownOnce title="The new admin key" label="Admin key" text={key}>
            Copy it now: it is shown once and cannot be read again.
          </ShownOnce>,
        )
      }
    />
  )
  return (
    <ListPage
      title="Admin keys"
      intro="Programs use the admin API with them. Colleagues sign in as people instead."
      actions={create}
      operation="admins.list"
      columns={columns}
      empty={
        <Empty title="No admin keys yet" action={create}>
          A program that creates accounts or keys needs one.
        </Empty>
      }
    />
  )
}

function State({ adminKey: { revoked, expires } }: { readonly adminKey: AdminKey }) {
  if (revoked !== null) return <Tag tone="bad">Revoked</Tag>
  if (expires === null) return <Tag tone="good">Works</Tag>
  if (Date.parse(expires) <= nowMs()) return <Tag tone="warn">Expired</Tag>
  return lines(<Tag tone="good">Works</Tag>, ["until ", <Time key="until" at={expires} style="instant" />])
}
