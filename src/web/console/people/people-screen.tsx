import type { AnswerOf, EntryOf } from "../../client/operations.ts"
import { addPasskey, signInWithPasskey } from "../../client/passkeys.ts"
import { session } from "../../client/session.ts"
import { readAgain, useRead } from "../../client/use-read.ts"
import { Button, closeWindow, Dialog, openWindow, say } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { ActionButton, FormButton } from "../../kit/form-dialog.tsx"
import { ListPage } from "../../kit/list-page.tsx"
import { Empty, Page, Ready } from "../../kit/page.tsx"
import { actionsColumn, type Column, Table } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { ShownOnce } from "../../shared/shown-once.tsx"
import { Permissions, permissionField } from "./permission-fields.tsx"

/** The user's own passkeys. */
export function PasskeysScreen() {
  if (session.value?.actor.id.startsWith("person:")) return <OwnPasskeys />
  return (
    <Page title="Your passkeys">
      <Empty title="Passkeys belong to people">
        You are signed in with an admin key, or a link of the command line. Invite yourself on the screen
        People, or run <code>penknife people add NAME</code>, and open that link.
      </Empty>
    </Page>
  )
}

function OwnPasskeys() {
  const reading = useRead("passkeys.list", {})
  const add = (
    <Button kind="primary" icon="plus" onClick={() => openWindow(<AddPasskey />)}>
      Add a passkey
    </Button>
  )
  return (
    <Page
      title="Your passkeys"
      intro="With a passkey you sign in by fingerprint, face, PIN or security key. It works at this address alone."
      actions={add}
    >
      <Ready reading={reading} what="passkeys">
        {({ data }) => (
          <Table
            caption="passkeys"
            columns={passkeyColumns}
            rows={data}
            empty={
              <Empty title="No passkey yet" action={add}>
                Add one now: your link has been used, and without a passkey you need another link to come
                back.
              </Empty>
            }
          />
        )}
      </Ready>
    </Page>
  )
}

/** The browser takes part in it, so it is no form of one operation. */
function AddPasskey() {
  function added(): void {
    closeWindow()
    readAgain()
    say("The passkey was added. Sign in with it from now on.")
  }
  return (
    <Dialog title="Add a passkey">
      <Form
        submit="Add the passkey"
        cancel={closeWindow}
        required={{ name: "Type a name." }}
        send={(values) => addPasskey(values.text("name"))}
        done={added}
      >
        <TextField name="name" label="Name" required value="This device" hint="To tell it from others." />
        <p class="muted small">Your browser asks next where to keep the passkey.</p>
      </Form>
    </Dialog>
  )
}

const passkeyColumns: readonly Column<AnswerOf<"passkeys.list">["data"][number]>[] = [
  { title: "Name", isName: true, cell: ({ name }) => name },
  { title: "For", cell: ({ site }) => <span class="mono">{site}</span> },
  { title: "Gives at most", cell: ({ permissions }) => <Permissions names={permissions} /> },
  { title: "Added", cell: ({ created }) => <Time at={created} style="instant" /> },
  {
    title: "Last used",
    cell: ({ last_used: at }) =>
      at === null ? <span class="muted">Never</span> : <Time at={at} style="distance" />,
  },
  actionsColumn((passkey) => (
    <>
      <FormButton
        operation="passkeys.rename"
        label="Rename"
        of={passkey.name}
        given={{ id: passkey.id }}
        values={{ name: passkey.name }}
        fields={{ name: { hint: "" } }}
        done="Saved."
      />
      <FormButton
        operation="passkeys.remove"
        label="Remove"
        of={passkey.name}
        danger
        given={{ id: passkey.id }}
        done="The passkey was removed."
      >
        <p>
          It signs in no more, and sessions that it opened end, perhaps this one. Delete it on your device
          too.
        </p>
      </FormButton>
    </>
  )),
]

/** The button that signs in with a passkey. */
export function PasskeySignIn() {
  return (
    <>
      <Form submit="Sign in with a passkey" on401="" send={signInWithPasskey} />
      <p class="small muted">or with an admin key</p>
    </>
  )
}

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
