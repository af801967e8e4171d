import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { Button } from "../../kit/button.tsx"
import { Section } from "../../kit/page.tsx"
import { useWebhook, WebhookFacts } from "../../shared/webhook.tsx"
import { ChooseEvents, events } from "./account-windows.tsx"

interface AccountWebhookProps {
  readonly account: Account
  /** Called when the account itself has changed. */
  changed(text: string, account: Account): void
}

/** Where the notices of an account are sent, and which. */
export function AccountWebhook({ account, changed }: AccountWebhookProps) {
  const [isChoosing, setChoosing] = useState(false)
  const choose = may("accounts.update") && <Button onClick={() => setChoosing(true)}>Choose events</Button>
  const { reading, actions, window } = useWebhook(account.id, choose, () => {})
  const notices = (
    <a key="notices" href={addressOf("/notices", { account: account.id })}>
      Deliveries to this webhook
    </a>
  )
  return (
    <Section title="Webhook" actions={account.closed === null && actions}>
      <WebhookFacts
        reading={reading}
        more={[
          ["Events", ["80 % and 95 % of the credits are used", ...account.events.map(wordsOf)].join(" · ")],
          may("notices.list") ? ["Notices", notices] : null,
        ]}
      >
        With one, the customer is told when 80 % and 95 % of the month's credits are used.
      </WebhookFacts>
      {window}
      {isChoosing && (
        <ChooseEvents
          account={account}
          close={() => setChoosing(false)}
          done={(saved) => {
            setChoosing(false)
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
