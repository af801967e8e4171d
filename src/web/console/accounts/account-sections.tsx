import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { useBulk } from "../../kit/bulk.tsx"
import { Section } from "../../kit/page.tsx"
import { Empty, Ready } from "../../kit/states.tsx"
import { Table } from "../../kit/table.tsx"
import { CreateKey } from "../../shared/key-fields.tsx"
import { nameOf } from "../../shared/key-state.tsx"
import { WebhookActions, WebhookFacts } from "../../shared/webhook.tsx"
import { eventChoices, useApiChoices } from "../choices.tsx"
import { keyActions, type ListedKey, ownKeyColumns } from "../keys/listed-keys.tsx"
import { type AccountWindowProps, ChooseEvents } from "./account-windows.tsx"

/** The most keys that are maxKeys; the screen of keys has all of them. */
const maxKeys = 20

/** The keys of an account. */
export function AccountKeys({ account: { id, closed } }: { readonly account: Account }) {
  const reading = useRead("keys.list", { account: id, limit: maxKeys })
  const bulk = useBulk<ListedKey>({ thing: "key", nameOf, actions: keyActions() })
  const create = closed === null && <CreateKey account={id} useApis={useApiChoices} />
  return (
    <Section title="Keys" actions={create}>
      <Ready reading={reading} what="keys">
        {({ data, has_more }) => (
          <>
            <Table
              caption="Keys of the account"
              columns={ownKeyColumns}
              rows={data}
              selection={bulk?.selection}
              empty={<Empty title="No keys yet">Without a key the customer cannot call anything.</Empty>}
            />
            {bulk?.bar(data)}
            {has_more && <a href={addressOf("/keys", { account: id })}>All keys of this account</a>}
          </>
        )}
      </Ready>
    </Section>
  )
}

/** Where the notices of an account are sent, and which. */
export function AccountWebhook({ account, then }: AccountWindowProps) {
  const reading = useRead("webhooks.get", { id: account.id })
  const actions = (
    <WebhookActions webhook={reading.data}>
      <ChooseEvents account={account} then={then} />
    </WebhookActions>
  )
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
    </Section>
  )
}

function wordsOf(event: string): string {
  return eventChoices.find(([name]) => name === event)?.[1] ?? event
}
