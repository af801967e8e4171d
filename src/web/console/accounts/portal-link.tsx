import { useState } from "preact/hooks"
import type { Account, AnswerOf } from "../../client/operations.ts"
import { FormDialog } from "../../kit/form.tsx"
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
    <FormDialog
      title={`Portal link for ${name}`}
      close={close}
      submit="Make a link"
      operation="portal.link"
      input={() => ({ id })}
      done={setMade}
    >
      <p class="muted">
        The link signs its reader in to the portal as this customer for a day, to see usage and manage keys
        and the webhook.
      </p>
    </FormDialog>
  )
}
