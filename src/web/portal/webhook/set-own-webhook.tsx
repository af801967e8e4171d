import { useState } from "preact/hooks"
import { write } from "../../client/request.ts"
import type { NewWebhook, Webhook } from "../../client/types.ts"
import { Button } from "../../kit/button.tsx"
import { Dialog } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { Secret } from "../../kit/secret.tsx"

interface SetOwnWebhookProps {
  /** Of the operations on the webhook. */
  readonly path: string
  readonly webhook: Webhook | null
  close(): void
  done(): void
}

/** Sets where notices are sent, and shows the secret that signs them, which cannot be read again. */
export function SetOwnWebhook({ path, webhook, close, done }: SetOwnWebhookProps) {
  const [made, setMade] = useState<NewWebhook | null>(null)
  if (made?.secret) {
    return (
      <Dialog title="Webhook set" close={done} mayClose={false}>
        <p class="dialog-text">
          Your server checks the signature of each message with this secret. It is shown once.
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
          write<NewWebhook>("POST", path, { url: values.text("url") }, { idempotencyKey })
        }
        done={(answer) => (answer.secret === null ? done() : setMade(answer))}
      >
        <TextField
          name="url"
          label="Address"
          type="url"
          required
          hint="https, at a public address. A new secret is made for it."
          value={webhook?.url ?? ""}
        />
      </Form>
    </Dialog>
  )
}
