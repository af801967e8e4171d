import { useState } from "preact/hooks"
import type { Account, AnswerOf } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { Dialog } from "../../kit/dialog.tsx"
import { Form } from "../../kit/form.tsx"
import { ShownOnce } from "../../shared/shown-once.tsx"

interface PortalLinkProps {
  readonly account: Account
  close(): void
}

/** Makes a link with which the customer signs in to the portal once. */
export function PortalLink({ account: { id, name }, close }: PortalLinkProps) {
  const [made, setMade] = useState<AnswerOf<"portal.link"> | null>(null)
  if (made?.url) {
    return (
      <ShownOnce title="Portal link" label="Link" text={made.url} done={close}>
        Send it to the customer. It works once, for 15 minutes, and is not shown again.
      </ShownOnce>
    )
  }
  return (
    <Dialog title={`Portal link for ${name}`} close={close}>
      <Form
        submit="Make a link"
        cancel={close}
        send={(_, idempotencyKey) => send("portal.link", { id }, { idempotencyKey })}
        done={setMade}
      >
        <p class="muted">
          The link signs its reader in to the portal as this customer for a day, to see usage and manage keys
          and the webhook.
        </p>
      </Form>
    </Dialog>
  )
}
