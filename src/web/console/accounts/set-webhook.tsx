import { useState } from "preact/hooks"
import { write } from "../../client/request.ts"
import type { NewWebhook, Webhook } from "../../client/types.ts"
import { Button } from "../../kit/button.tsx"
import { Dialog } from "../../kit/dialog.tsx"
import { CheckField, TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { Secret } from "../../kit/secret.tsx"
import type { WebhookWindowProps } from "../../shared/remove-webhook.tsx"

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
