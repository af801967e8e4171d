import { useState } from "preact/hooks"
import { write } from "../../client/request.ts"
import type { NewWebhook, Webhook } from "../../client/types.ts"
import { Button } from "../../kit/button.tsx"
import { Dialog } from "../../kit/dialog.tsx"
import { CheckField, TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { Secret } from "../../kit/secret.tsx"

interface WebhookWindowProps {
  /** Of the operations on the webhook. */
  readonly path: string
  close(): void
  done(): void
}

/** Sets where notices are sent, and shows the secret that signs them, which cannot be read again. */
export function SetWebhook({
  path,
  webhook,
  close,
  done,
}: WebhookWindowProps & { readonly webhook: Webhook | null }) {
  const [made, setMade] = useState<NewWebhook | null>(null)
  if (made?.secret) {
    return (
      <Dialog title="Webhook set" close={done} mayClose={false}>
        <p class="dialog-text">
          The receiver checks the signature of each message with this secret. It is shown once.
        </p>
        <Secret label="Secret" text={made.secret} />
        <Button kind="primary" onClick={done}>
          I have copied it
        </Button>
      </Dialog>
    )
  }
  return (
    <Dialog title={webhook?.url ? "Change the webhook" : "Set a webhook"} close={close}>
      <Form
        submit="Save"
        required={{ url: "Type an address, such as https://example.com/hook." }}
        cancel={close}
        send={(values, idempotencyKey) =>
          write<NewWebhook>(
            "POST",
            path,
            { url: values.text("url"), allow_private: values.isTicked("allow_private") },
            { idempotencyKey },
          )
        }
        done={(answer) => (answer.secret === null ? done() : setMade(answer))}
      >
        <TextField
          name="url"
          label="Address"
          type="url"
          required
          hint="https, or http on localhost. A new secret is made for it."
          value={webhook?.url ?? ""}
        />
        <CheckField
          name="allow_private"
          label="Allow an address in a private network"
          checked={webhook?.allow_private ?? false}
        />
      </Form>
    </Dialog>
  )
}

/** Asks before a webhook is removed. */
export function RemoveWebhook({ path, close, done }: WebhookWindowProps) {
  return (
    <Dialog title="Remove the webhook?" close={close}>
      <Form
        submit="Remove webhook"
        danger
        cancel={close}
        send={(_, idempotencyKey) => write("DELETE", path, {}, { idempotencyKey })}
        done={done}
      >
        <p>Notices that wait to be sent are not sent. To send them again later, set a webhook first.</p>
      </Form>
    </Dialog>
  )
}
