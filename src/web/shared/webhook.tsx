/** The webhook of an account, in the console and the portal. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { area } from "../client/area.ts"
import type { AnswerOf, Webhook } from "../client/operations.ts"
import { send } from "../client/request.ts"
import { may } from "../client/session.ts"
import { type Reading, useRead } from "../client/use-read.ts"
import { ActionButton } from "../kit/action-button.tsx"
import { Button } from "../kit/button.tsx"
import { type Fact, Facts } from "../kit/facts.tsx"
import { CheckField, TextField } from "../kit/field.tsx"
import { FormDialog } from "../kit/form.tsx"
import { Empty, Ready } from "../kit/states.tsx"
import { say } from "../kit/status.tsx"
import { Code, Tag } from "../kit/text.tsx"
import { ShownOnce } from "./shown-once.tsx"

interface ShownWebhook {
  readonly reading: Reading<Webhook>
  /** Buttons for what may be done with it; null until it was read. */
  readonly actions: ComponentChildren
  /** The window that is open. */
  readonly window: ComponentChildren
}

/**
 * Reads the webhook of an account, and lets it be tested, set and removed.
 * @param others buttons for more that may be done
 * @param changed called after a change, which is said already
 */
export function useWebhook(account: string, others: ComponentChildren, changed: () => void): ShownWebhook {
  const reading = useRead("webhooks.get", { id: account })
  const [window, setWindow] = useState<"set" | "remove" | null>(null)
  const { data: webhook } = reading
  const close = () => setWindow(null)

  function done(text: string): void {
    close()
    say(text)
    reading.reload()
    changed()
  }

  const isSet = webhook?.url !== null
  const actions = webhook && (
    <>
      {isSet && may("notices.test") && (
        <ActionButton
          run={(idempotencyKey) => send("notices.test", { id: account }, { idempotencyKey })}
          done={() => done("A test event is on its way. It is among the notices of the account.")}
        >
          Send a test event
        </ActionButton>
      )}
      {others}
      {isSet && may("webhooks.delete") && (
        <Button kind="risky" onClick={() => setWindow("remove")}>
          Remove
        </Button>
      )}
      {may("webhooks.set") && (
        <Button kind={isSet ? "plain" : "primary"} onClick={() => setWindow("set")}>
          {isSet ? "Change" : "Set a webhook"}
        </Button>
      )}
    </>
  )
  return {
    reading,
    actions,
    window: webhook && (
      <>
        {window === "set" && <SetWebhook webhook={webhook} close={close} done={() => done("Webhook set.")} />}
        {window === "remove" && (
          <RemoveWebhook webhook={webhook} close={close} done={() => done("Webhook removed.")} />
        )}
      </>
    ),
  }
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
              ["Address", <Code key="url">{url}</Code>],
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

interface WebhookWindowProps {
  readonly webhook: Webhook
  close(): void
  done(): void
}

/** Sets where notices are sent, and shows the secret that signs them, which cannot be read again. */
function SetWebhook({ webhook: { account: id, url, allow_private }, close, done }: WebhookWindowProps) {
  const [made, setMade] = useState<AnswerOf<"webhooks.set"> | null>(null)
  const isConsole = area.kind === "console"
  if (made?.secret) {
    return (
      <ShownOnce title="Webhook set" label="Secret" text={made.secret} done={done}>
        {isConsole ? "The receiver" : "Your server"} checks the signature of each message with this secret. It
        is shown once.
      </ShownOnce>
    )
  }
  return (
    <FormDialog
      title={url === null ? "Set a webhook" : "Change the webhook"}
      close={close}
      submit="Save"
      required={{ url: "Type an address, such as https://example.com/hook." }}
      operation="webhooks.set"
      input={(values) => ({
        id,
        url: values.text("url"),
        ...(isConsole && { allow_private: values.isTicked("allow_private") }),
      })}
      done={(answer) => (answer.secret === null ? done() : setMade(answer))}
    >
      <TextField
        name="url"
        label="Address"
        type="url"
        required
        hint={`${isConsole ? "https, or http on localhost." : "https, at a public address."} A new secret is made for it.`}
        value={url ?? ""}
      />
      {isConsole && (
        <CheckField
          name="allow_private"
          label="Allow an address in a private network"
          checked={allow_private}
        />
      )}
    </FormDialog>
  )
}

/** Asks before a webhook is removed. */
function RemoveWebhook({ webhook: { account: id }, close, done }: WebhookWindowProps) {
  return (
    <FormDialog
      title="Remove the webhook?"
      close={close}
      submit="Remove webhook"
      danger
      operation="webhooks.delete"
      input={() => ({ id })}
      done={done}
    >
      <p>Waiting notices are not sent. To send them later, set a webhook first.</p>
    </FormDialog>
  )
}
