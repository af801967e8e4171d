import { useState } from "preact/hooks"
import type { AnswerOf } from "../../client/operations.ts"
import { addPasskey } from "../../client/passkeys.ts"
import { session } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { Button } from "../../kit/button.tsx"
import { Dialog } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form, FormDialog } from "../../kit/form.tsx"
import { Page } from "../../kit/page.tsx"
import { Empty, Ready } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { Permissions } from "./permission-fields.tsx"

type Passkey = AnswerOf<"passkeys.list">["data"][number]
type Window = { readonly kind: "add" } | { readonly kind: "rename" | "remove"; readonly passkey: Passkey }

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
  const [version, setVersion] = useState(0)
  const [window, setWindow] = useState<Window | null>(null)
  const reading = useRead("passkeys.list", {}, version)
  const close = () => setWindow(null)
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setWindow({ kind: "add" })}>
      Add a passkey
    </Button>
  )

  function changed(text: string): void {
    close()
    setVersion((before) => before + 1)
    say(text)
  }

  return (
    <Page
      title="Your passkeys"
      intro="With a passkey you sign in by fingerprint, face, PIN or security key. It works at this address alone."
      actions={add}
    >
      <Ready reading={reading} what="passkeys">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No passkey yet" action={add}>
              Add one now: your link has been used, and without a passkey you need another link to come back.
            </Empty>
          ) : (
            <div class="card flush">
              <Table caption="passkeys" columns={columnsWith(setWindow)} rows={data} keyOf={({ id }) => id} />
            </div>
          )
        }
      </Ready>
      {window?.kind === "add" && (
        <Dialog title="Add a passkey" close={close}>
          <Form
            submit="Add the passkey"
            cancel={close}
            required={{ name: "Type a name." }}
            send={(values) => addPasskey(values.text("name"))}
            done={() => changed("The passkey was added. Sign in with it from now on.")}
          >
            <TextField name="name" label="Name" required value="This device" hint="To tell it from others." />
            <p class="muted small">Your browser asks next where to keep the passkey.</p>
          </Form>
        </Dialog>
      )}
      {window?.kind === "rename" && (
        <FormDialog
          title={`Rename ${window.passkey.name}`}
          close={close}
          submit="Save"
          required={{ name: "Type a name." }}
          operation="passkeys.rename"
          input={(values) => ({ id: window.passkey.id, name: values.text("name") })}
          done={() => changed("Saved.")}
        >
          <TextField name="name" label="Name" required value={window.passkey.name} />
        </FormDialog>
      )}
      {window?.kind === "remove" && (
        <FormDialog
          title={`Remove ${window.passkey.name}?`}
          close={close}
          submit="Remove"
          danger
          operation="passkeys.remove"
          input={() => ({ id: window.passkey.id })}
          done={() => changed("The passkey was removed.")}
        >
          <p>
            It signs in no more, and sessions that it opened end, perhaps this one. Delete it on your device
            too.
          </p>
        </FormDialog>
      )}
    </Page>
  )
}

function columnsWith(open: (window: Window) => void): readonly Column<Passkey>[] {
  return [
    { title: "Name", isName: true, cell: ({ name }) => name },
    { title: "For", cell: ({ site }) => <span class="mono">{site}</span> },
    { title: "Gives at most", cell: ({ permissions }) => <Permissions names={permissions} /> },
    { title: "Added", cell: ({ created }) => <Time at={created} style="instant" /> },
    {
      title: "Last used",
      cell: ({ last_used: at }) =>
        at === null ? <span class="muted">Never</span> : <Time at={at} style="distance" />,
    },
    {
      title: "Actions",
      cell: (passkey) => (
        <div class="row-actions">
          <Button onClick={() => open({ kind: "rename", passkey })}>
            Rename<span class="hidden"> {passkey.name}</span>
          </Button>
          <Button kind="risky" onClick={() => open({ kind: "remove", passkey })}>
            Remove<span class="hidden"> {passkey.name}</span>
          </Button>
        </div>
      ),
    },
  ]
}
