import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { useBulk } from "../../kit/bulk.tsx"
import { Button } from "../../kit/button.tsx"
import { Section } from "../../kit/page.tsx"
import { Empty, Ready } from "../../kit/states.tsx"
import { Table } from "../../kit/table.tsx"
import { CreateKey } from "../../shared/key-fields.tsx"
import { nameOf } from "../../shared/key-state.tsx"
import { useWebhook, WebhookFacts } from "../../shared/webhook.tsx"
import { useApiChoices } from "../api-filter.tsx"
import { keyActions } from "../keys/key-actions.tsx"
import { type ListedKey, ownKeyColumns } from "../keys/key-columns.tsx"
import { ChooseEvents, events } from "./account-windows.tsx"

/** The most keys that are maxKeys; the screen of keys has all of them. */
const maxKeys = 20

/** The keys of an account. */
export function AccountKeys({ account: { id, closed } }: { readonly account: Account }) {
  const reading = useRead("keys.list", { account: id, limit: maxKeys })
  const apis = useApiChoices()
  const [isCreating, setCreating] = useState(false)
  const bulk = useBulk<ListedKey>({
    thing: "key",
    keyOf: ({ id }) => id,
    nameOf,
    actions: keyActions(),
    changed: reading.reload,
  })
  const create = closed === null && may("keys.create") && (
    <Button icon="plus" onClick={() => setCreating(true)}>
      Create key
    </Button>
  )
  return (
    <Section title="Keys" actions={create}>
      <Ready reading={reading} what="keys">
        {({ data, has_more }) =>
          data.length === 0 ? (
            <Empty title="No keys yet">Without a key the customer cannot call anything.</Empty>
          ) : (
            <>
              <div class="card flush">
                <Table
                  caption="Keys of the account"
                  columns={ownKeyColumns}
                  rows={data}
                  keyOf={({ id }) => id}
                  selection={bulk?.selection}
                />
              </div>
              {bulk?.bar(data)}
              {has_more && <a href={addressOf("/keys", { account: id })}>All keys of this account</a>}
            </>
          )
        }
      </Ready>
      {bulk?.window}
      {isCreating && (
        <CreateKey
          account={id}
          apis={apis}
          close={() => setCreating(false)}
          done={() => {
            setCreating(false)
            reading.reload()
          }}
        />
      )}
    </Section>
  )
}

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
