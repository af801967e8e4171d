import { useState } from "preact/hooks"
import { nowMs } from "../../client/browser.ts"
import type { EntryOf } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { Button } from "../../kit/button.tsx"
import { TextField } from "../../kit/field.tsx"
import { FormDialog } from "../../kit/form.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { Tag, Time } from "../../kit/text.tsx"
import { ShownOnce } from "../../shared/shown-once.tsx"
import { chosenPermissions, PermissionFields, Permissions } from "../people/permission-fields.tsx"

type AdminKey = EntryOf<"admins.list">
type Window =
  | { readonly kind: "create" }
  | { readonly kind: "revoke"; readonly adminKey: AdminKey }
  | { readonly kind: "text"; readonly text: string | null }

/** Keys with which programs use the admin API. */
export function AdminKeysScreen() {
  const [version, setVersion] = useState(0)
  const [window, setWindow] = useState<Window | null>(null)
  const close = () => setWindow(null)
  const create = may("admins.create") && (
    <Button kind="primary" icon="plus" onClick={() => setWindow({ kind: "create" })}>
      Create admin key
    </Button>
  )

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
          <div class="row-actions">
            <Button kind="risky" onClick={() => setWindow({ kind: "revoke", adminKey })}>
              Revoke<span class="hidden"> {adminKey.name}</span>
            </Button>
          </div>
        ) : (
          <span class="muted">–</span>
        ),
    },
  ]

  return (
    <Page
      title="Admin keys"
      intro="Programs use the admin API with them. Colleagues sign in as people instead."
      actions={create}
    >
      <PagedTable
        what="admin keys"
        operation="admins.list"
        filters={{}}
        columns={columns}
        keyOf={({ id }) => id}
        version={version}
        empty={
          <Empty title="No admin keys yet" action={create}>
            A program that creates accounts or keys needs one.
          </Empty>
        }
      />
      {window?.kind === "create" && (
        <FormDialog
          title="Create admin key"
          close={close}
          submit="Create admin key"
          required={{ name: "Type a name." }}
          operation="admins.create"
          input={(values) => ({
            name: values.text("name"),
            may: chosenPermissions(values),
            ...(values.text("expires") !== "" && { expires: values.text("expires") }),
          })}
          done={({ key }) => {
            setVersion((before) => before + 1)
            setWindow({ kind: "text", text: key })
          }}
        >
          <TextField name="name" label="Name" required hint="What uses the key, such as billing." />
          <TextField name="expires" label="Expires" hint="Such as 30d or 2027-01-31. Empty for never." />
          <PermissionFields given={[]} />
        </FormDialog>
      )}
      {window?.kind === "text" && (
        <ShownOnce title="The new admin key" label="Admin key" text={window.text} done={close}>
          Copy it now: it is shown once and cannot be read again.
        </ShownOnce>
      )}
      {window?.kind === "revoke" && (
        <FormDialog
          title={`Revoke ${window.adminKey.name}?`}
          close={close}
          submit="Revoke"
          danger
          operation="admins.revoke"
          input={() => ({ id: window.adminKey.id })}
          done={({ name }) => {
            close()
            setVersion((before) => before + 1)
            say(`The admin key ${name} was revoked.`)
          }}
        >
          <p>The next request with it is refused, and sessions that it opened end. This cannot be undone.</p>
        </FormDialog>
      )}
    </Page>
  )
}

function State({ adminKey: { revoked, expires } }: { readonly adminKey: AdminKey }) {
  if (revoked !== null) return <Tag tone="bad">Revoked</Tag>
  if (expires === null) return <Tag tone="good">Works</Tag>
  if (Date.parse(expires) <= nowMs()) return <Tag tone="warn">Expired</Tag>
  return (
    <>
      <Tag tone="good">Works</Tag>
      <span class="below">
        until <Time at={expires} style="instant" />
      </span>
    </>
  )
}
