import type { EntryOf } from "../../client/operations.ts"
import { openWindow } from "../../kit/dialog.tsx"
import { ActionButton, FormButton } from "../../kit/form-dialog.tsx"
import { ListPage } from "../../kit/list-page.tsx"
import { Empty } from "../../kit/page.tsx"
import { actionsColumn, type Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { ShownOnce } from "../../shared/shown-once.tsx"
import { Permissions, permissionField } from "./permission-fields.tsx"

const columns: readonly Column<EntryOf<"people.list">>[] = [
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
      <FormButton
        operation="people.update"
        label="Edit"
        of={person.name}
        given={{ id: person.id }}
        values={{ name: person.name }}
        fields={{ name: { hint: "" }, may: permissionField(person.permissions) }}
        done="Saved. Fewer permissions count now, more of them after a new link."
      />
      <FormButton
        operation="people.remove"
        label="Remove"
        of={person.name}
        danger
        given={{ id: person.id }}
        done={`${person.name} was removed and signed out.`}
      >
        <p>
          {person.name} is signed out at once, and their passkeys and links stop working. This cannot be
          undone. What they did stays in the audit log.
        </p>
      </FormButton>
    </>
  )),
]

/** Colleagues who sign in under their own names. */
export function PeopleScreen() {
  const invite = (
    <FormButton
      operation="people.create"
      label="Invite a colleague"
      kind="primary"
      icon="plus"
      submit="Make the link"
      fields={{ name: { hint: "As the audit log shows it." }, may: permissionField([]) }}
      done={showLink}
    />
  )
  return (
    <ListPage
      title="People"
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

function showLink({ name, url }: { readonly name: string; readonly url: string | null }): void {
  openWindow(
    <ShownOnce title={`Link for ${name}`} label="Link" text={url}>
      Send it to {name}. It signs in once, within 24 hours, and leads to the page where a passkey is added.
      Whoever opens it is signed in as {name}.
    </ShownOnce>,
  )
}
