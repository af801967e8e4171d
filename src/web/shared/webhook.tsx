/** The webhook of an account, in the console and the portal. */
import type { ComponentChildren } from "preact"
import { area } from "../client/address.ts"
import type { Webhook } from "../client/operations.ts"
import type { Reading } from "../client/use-read.ts"
import { openWindow, say } from "../kit/dialog.tsx"
import { ActionButton, FormButton } from "../kit/form-dialog.tsx"
import { Empty, type Fact, Facts, Ready } from "../kit/page.tsx"
import { Tag } from "../kit/text.tsx"
import { ShownOnce } from "./shown-once.tsx"

interface WebhookActionsProps {
  /** Null until it was read; there are no buttons then. */
  readonly webhook: Webhook | null
  /** Buttons for more that may be done. */
  readonly children?: ComponentChildren
}

/** Buttons that test, set and remove the webhook of an account. */
export function WebhookActions({ webhook, children }: WebhookActionsProps) {
  if (webhook === null) return null
  const isSet = webhook.url !== null
  return (
    <>
      {isSet && (
        <ActionButton
          operation="notices.test"
          input={{ id: webhook.account }}
          done="A test event is on its way. It is among the notices of the account."
        >
          Send a test event
        </ActionButton>
      )}
      {children}
      {isSet && (
        <FormButton
          operation="webhooks.delete"
          label="Remove"
          title="Remove the webhook?"
          submit="Remove webhook"
          danger
          given={{ id: webhook.account }}
          done="Webhook removed."
        >
          <p>Waiting notices are not sent. To send them later, set a webhook first.</p>
        </FormButton>
      )}
      <SetWebhook webhook={webhook} />
    </>
  )
}

interface WebhookFactsProps {
  readonly reading: Reading<Webhook>
  readonly more?: readonly (Fact | null)[]
  /** Shown without a webhook. */
  readonly children: ComponentChildren
}

/** Where notices are sent, and whether they still are. */
export function WebhookFacts({ reading, more = [], children }: WebhookFactsProps) {
  return (
    <Ready reading={reading} what="the webhook">
      {({ url, disabled }) =>
        url === null ? (
          <Empty title="No webhook">{children}</Empty>
        ) : (
          <Facts
            facts={[
              ["Address", <code key="url">{url}</code>],
              [
                "State",
                <Tag key="state" tone={disabled === null ? "good" : "bad"}>
                  {disabled === null ? "Active" : "Disabled: the receiver answered 410"}
                </Tag>,
              ],
              ...more,
            ]}
          />
        )
      }
    </Ready>
  )
}

/** Sets where notices are sent, and shows the secret that signs them, which cannot be read again. */
function SetWebhook({ webhook }: { readonly webhook: Webhook }) {
  const isSet = webhook.url !== null
  const isConsole = area.kind === "console"
  const address = isConsole ? "https, or http on localhost." : "https, at a public address."
  return (
    <FormButton
      operation="webhooks.set"
      label={isSet ? "Change" : "Set a webhook"}
      kind={isSet ? "plain" : "primary"}
      title={isSet ? "Change the webhook" : "Set a webhook"}
      given={{ id: webhook.account }}
      values={{ url: webhook.url, allow_private: webhook.allow_private }}
      fields={{
        url: { hint: `${address} A new secret is made for it.` },
        ...(isConsole && { allow_private: { hint: "" } }),
      }}
      done={({ secret }) => {
        if (secret === null) return say("Webhook set.")
        openWindow(
          <ShownOnce title="Webhook set" label="Secret" text={secret}>
            {isConsole ? "The receiver" : "Your server"} checks the signature of each message with this
            secret. It is shown once.
          </ShownOnce>,
        )
      }}
    />
  )
}
