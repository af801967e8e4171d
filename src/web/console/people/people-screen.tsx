import { useState } from "preact/hooks"
import type { AnswerOf, EntryOf } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { Button } from "../../kit/button.tsx"
import { TextField } from "../../kit/field.tsx"
import { FormDialog } from "../../kit/form.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { ShownOnce } from "../../shared/shown-once.tsx"
import { chosenPermissions, PermissionFields, Permissions } from "./permission-fields.tsx"

type Person = EntryOf<"people.list">
type Window =
  | { readonly kind: "invite" }
  | { readonly kind: "edit" | "remove"; readonly person: Person }
  | { readonly kind: "link"; readonly name: string; readonly url: string | null }

/** Colleagues who sign in under their own names. */
export function PeopleScreen() {
  const [version, setVersion] = useState(0)
  const [window, setWindow] = useState<Window | null>(null)
  const invite = may("people.create") && (
    <Button kind="primary" icon="plus" onClick={() => setWindow({ kind: "invite" })}>
      Invite a colleague
    </Button>
  )

  function changed(text: string): void {
    setWindow(null)
    setVersion((before) => before + 1)
    say(text)
  }

  const columns: readonly Column<Person>[] = [
    { title: "Name", isName: true, cell: ({ name }) => name },
    { title: "Permissions", cell: ({ permissions }) => <Permissions names={permissions} /> },
    { title: "Passkeys", isNumber: true, cell: ({ passkeys }) => passkeys },
    {
      title: "Last sign-in by passkey",
      cell: ({ last_sign_in: at }) =>
        at === null ? <span class="muted">Never</span> : <Time at={at} style="distance" />,
    },
    {
      title: "Actions",
      cell: (person) => (
        <div class="row-actions">
          {may("people.link") && (
            <ActionButton
              run={(idempotencyKey) => send("people.link", { id: person.id }, { idempotencyKey })}
              done={({ url }) => setWindow({ kind: "link", name: person.name, url })}
            >
              New link<span class="hidden"> for {person.name}</span>
            </ActionButton>
          )}
          {may("people.update") && (
            <Button onClick={() => setWindow({ kind: "edit", person })}>
              Edit<span class="hidden"> {person.name}</span>
            </Button>
          )}
          {may("people.remove") && (
            <Button kind="risky" onClick={() => setWindow({ kind: "remove", person })}>
              Remove<span class="hidden"> {person.name}</span>
            </Button>
          )}
        </div>
      ),
    },
  ]

  return (
    <Page
      title="People"
      intro="Colleagues who sign in under their own names. The audit log shows what each of them did."
      actions={invite}
    >
      <PagedTable
        what="people"
        operation="people.list"
        filters={{}}
        columns={columns}
        keyOf={({ id }) => id}
        version={version}
        empty={
          <Empty title="No people yet" action={invite}>
            Invite a colleague: they open a link once, and add a passkey.
          </Empty>
        }
      />
      {window?.kind === "invite" && (
        <Invite
          close={() => setWindow(null)}
          done={({ name, url }) => {
            setVersion((before) => before + 1)
            setWindow({ kind: "link", name, url })
          }}
        />
      )}
      {window?.kind === "link" && (
        <ShownOnce
          title={`Link for ${window.name}`}
          label="Link"
          text={window.url}
          done={() => setWindow(null)}
        >
          Send it to {window.name}. It signs in once, within 24 hours, and leads to the page where a passkey
          is added. Whoever opens it is signed in as {window.name}.
        </ShownOnce>
      )}
      {window?.kind === "edit" && (
        <FormDialog
          title={`Edit ${window.person.name}`}
          close={() => setWindow(null)}
          submit="Save"
          required={{ name: "Type a name." }}
          operation="people.update"
          input={(values) => ({
            id: window.person.id,
            name: values.text("name"),
            may: chosenPermissions(values),
          })}
          done={() => changed("Saved. Fewer permissions count now, more of them after a new link.")}
        >
          <TextField name="name" label="Name" required value={window.person.name} />
          <PermissionFields given={window.person.permissions} />
        </FormDialog>
      )}
      {window?.kind === "remove" && (
        <FormDialog
          title={`Remove ${window.person.name}?`}
          close={() => setWindow(null)}
          submit="Remove"
          danger
          operation="people.remove"
          input={() => ({ id: window.person.id })}
          done={({ name }) => changed(`${name} was removed and signed out.`)}
        >
          <p>
            {window.person.name} is signed out at once, and their passkeys and links stop working. This cannot
            be undone. What they did stays in the audit log.
          </p>
        </FormDialog>
      )}
    </Page>
  )
}

interface InviteProps {
  close(): void
  done(invited: AnswerOf<"people.create">): void
}

function Invite({ close, done }: InviteProps) {
  return (
    <FormDialog
      title="Invite a colleague"
      close={close}
      submit="Make the link"
      required={{ name: "Type a name." }}
      operation="people.create"
      input={(values) => ({ name: values.text("name"), may: chosenPermissions(values) })}
      done={done}
    >
      <TextField name="name" label="Name" required hint="As the audit log shows it." />
      <PermissionFields given={[]} />
    </FormDialog>
  )
}
