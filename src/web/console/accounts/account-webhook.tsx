import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import { write } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import type { Account, Webhook } from "../../client/types.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { Button } from "../../kit/button.tsx"
import { Facts } from "../../kit/facts.tsx"
import { Section } from "../../kit/page.tsx"
import { Empty, Ready } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import { Code, Tag } from "../../kit/text.tsx"
import { RemoveWebhook } from "../../shared/remove-webhook.tsx"
import { ChooseEvents, events } from "./choose-events.tsx"
import { SetWebhook } from "./set-webhook.tsx"

interface AccountWebhookProps {
  readonly account: Account
  /** Called when the account itself has changed. */
  changed(text: string, account: Account): void
}

/** Where the notices of an account are sent, and which. */
export function AccountWebhook({ account, changed }: AccountWebhookProps) {
  const path = `/accounts/${encodeURIComponent(account.id)}/webhook`
  const reading = useRead<Webhook>(path)
  const [window, setWindow] = useState<"set" | "remove" | "events" | null>(null)
  const close = () => setWindow(null)
  const isOpen = account.closed === null
  const { data: webhook } = reading

  function saved(text: string): void {
    close()
    say(text)
    reading.reload()
  }

  const actions = isOpen && webhook && (
    <>
      {webhook.url !== null && may("notices.test") && (
        <ActionButton
          run={(idempotencyKey) => write("POST", `${path}/test`, {}, { idempotencyKey })}
          done={() => say("A test event is on its way. See the notices of this account.")}
        >
          Send a test event
        </ActionButton>
      )}
      {may("accounts.update") && <Button onClick={() => setWindow("events")}>Choose events</Button>}
      {webhook.url !== null && may("webhooks.delete") && (
        <Button kind="risky" onClick={() => setWindow("remove")}>
          Remove
        </Button>
      )}
      {may("webhooks.set") && (
        <Button onClick={() => setWindow("set")}>{webhook.url === null ? "Set a webhook" : "Change"}</Button>
      )}
    </>
  )

  return (
    <Section title="Webhook" actions={actions}>
      <Ready reading={reading} what="the webhook">
        {({ url, disabled }) =>
          url === null ? (
            <Empty title="No webhook">
              With one, the customer is told when 80 % and 95 % of the month's credits are used.
            </Empty>
          ) : (
            <Facts
              facts={[
                ["Address", <Code key="url">{url}</Code>],
                [
                  "State",
                  disabled === null ? (
                    <Tag key="state" tone="good">
                      Active
                    </Tag>
                  ) : (
                    <Tag key="state" tone="bad">
                      Disabled: the receiver answered 410
                    </Tag>
                  ),
                ],
                [
                  "Events",
                  ["80 % and 95 % of the credits are used", ...account.events.map(wordsOf)].join(" · "),
                ],
                may("notices.list")
                  ? [
                      "Notices",
                      <a key="notices" href={addressOf("/notices", { account: account.id })}>
                        Deliveries to this webhook
                      </a>,
                    ]
                  : null,
              ]}
            />
          )
        }
      </Ready>
      {window === "set" && (
        <SetWebhook path={path} webhook={webhook} close={close} done={() => saved("Webhook set.")} />
      )}
      {window === "remove" && (
        <RemoveWebhook path={path} close={close} done={() => saved("Webhook removed.")} />
      )}
      {window === "events" && (
        <ChooseEvents
          account={account}
          close={close}
          done={(saved) => {
            close()
            changed("Events saved.", saved)
          }}
        />
      )}
    </Section>
  )
}

function wordsOf(event: string): string {
  return events.find(([name]) => name === event)?.[1] ?? event
}
