import type { EntryOf } from "../../client/operations.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { openWindow, WindowButton } from "../../kit/dialog.tsx"
import { FormDialog } from "../../kit/form-dialog.tsx"
import { ListPage } from "../../kit/list-page.tsx"
import { Empty } from "../../kit/states.tsx"
import { actionsColumn, type Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { ShownOnce } from "../../shared/shown-once.tsx"
import { Permissions, permissionField } from "./permission-fields.tsx"

type Person = EntryOf<"people.list">

const columns: readonly Column<Person>[] = [
  { title: "Name", isName: true, cell: ({ name }) => name },
  { title: "Permissions", cell: ({ permissions }) => <Permissions names={permissions} /> },
  { title: "Passkeys", isNumber: true, cell: ({ passkeys }) => passkeys },
  {
    title: "Last sign-in by passkey",
    cell: ({ last_sign_in: at }) =>
      at === null ? <span class="muted">Never</span> : <Time at={at} style="distance" />,
  },
  actionsColumn((person) => (
    <>
      <ActionButton
        operation="people.link"
        input={{ id: person.id }}
        done={({ url }) => showLink({ name: person.name, url })}
      >
        New link<span class="hidden"> for {person.name}</span>
      </ActionButton>
      <WindowButton operation="people.update" opens={<EditPerson person={person} />}>
        Edit<span class="hidden"> {person.name}</span>
      </WindowButton>
      <WindowButton operation="people.remove" kind="risky" opens={<RemovePerson person={person} />}>
        Remove<span class="hidden"> {person.name}</span>
      </WindowButton>
    </>
  )),
]

/** Colleagues who sign in under their own names. */
export function PeopleScreen() {
  const invite = (
    <WindowButton operation="people.create" kind="primary" icon="plus" opens={<Invite />}>
      Invite a colleague
    </WindowButton>
  )
  return (
    <ListPage
      title="People"
      what="people"
      intro="Colleagues who sign in under their own names. The audit log shows what each of them did."
      actions={invite}
      operation="people.list"
      columns={columns}
      empty={
        <Empty title="No people yet" action={invite}>
          Invite a colleague: they open a link once, and add a passkey.
        </Empty>
      }
    />
  )
}

function Invite() {
  return (
    <FormDialog
      operation="people.create"
      title="Invite a colleague"
      submit="Make the link"
      fields={{ name: { hint: "As the audit log shows it." }, may: permissionField([]) }}
      done={showLink}
    />
  )
}

function showLink({ name, url }: { readonly name: string; readonly url: string | null }): void {
  openWindow(
    <ShownOnce title={`Link for ${name}`} label="Link" text={url}>
      Send it to {name}. It signs in once, within 24 hours, and leads to the page where a passkey is added.
      Whoever opens it is signed in as {name}.
    </ShownOnce>,
  )
}

function EditPerson({ person: { id, name, permissions } }: { readonly person: Person }) {
  return (
    <FormDialog
      operation="people.update"
      title={`Edit ${name}`}
      submit="Save"
      given={{ id }}
      values={{ name }}
      fields={{ name: { hint: "" }, may: permissionField(permissions) }}
      done="Saved. Fewer permissions count now, more of them after a new link."
    />
  )
}

function RemovePerson({ person: { id, name } }: { readonly person: Person }) {
  return (
    <FormDialog
      operation="people.remove"
      title={`Remove ${name}?`}
      submit="Remove"
      danger
      given={{ id }}
      done={`${name} was removed and signed out.`}
    >
      <p>
        {name} is signed out at once, and their passkeys and links stop working. This cannot be undone. What
        they did stays in the audit log.
      </p>
    </FormDialog>
  )
}
