import { useState } from "preact/hooks"
import { write } from "../../client/request.ts"
import type { Account } from "../../client/types.ts"
import { Button } from "../../kit/button.tsx"
import { Dialog } from "../../kit/dialog.tsx"
import { Form } from "../../kit/form.tsx"
import { Secret } from "../../kit/secret.tsx"

interface PortalLinkProps {
  readonly account: Account
  close(): void
}

interface MadeLink {
  readonly url: string | null
}

/** Makes a link with which the customer signs in to the portal once. */
export function PortalLink({ account, close }: PortalLinkProps) {
  const [made, setMade] = useState<MadeLink | null>(null)
  if (made?.url) {
    return (
      <Dialog title="Portal link" close={close} mayClose={false}>
        <p class="dialog-text">
          Send it to the customer. It works once, for 15 minutes, and is not shown again.
        </p>
        <Secret label="Link" text={made.url} />
        <Button kind="primary" onClick={close}>
          I have copied it
        </Button>
      </Dialog>
    )
  }
  return (
    <Dialog title={`Portal link for ${account.name}`} close={close}>
      <Form
        submit="Make a link"
        cancel={close}
        send={(_, idempotencyKey) =>
          write<MadeLink>(
            "POST",
            `/accounts/${encodeURIComponent(account.id)}/portal-link`,
            {},
            { idempotencyKey },
          )
        }
        done={setMade}
      >
        <p class="muted">
          The one who opens the link is signed in to the portal as this customer for a day: they see usage and
          may manage keys and the webhook.
        </p>
      </Form>
    </Dialog>
  )
}
