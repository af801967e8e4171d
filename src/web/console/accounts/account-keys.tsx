import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { Button } from "../../kit/button.tsx"
import { Section } from "../../kit/page.tsx"
import { Empty, Ready } from "../../kit/states.tsx"
import { Table } from "../../kit/table.tsx"
import { CreateKey } from "../../shared/key-fields.tsx"
import { useApiChoices } from "../api-filter.tsx"
import { ownKeyColumns } from "../keys/key-columns.tsx"

/** The most keys that are shown; the screen of keys has all of them. */
const shown = 20

/** The keys of an account. */
export function AccountKeys({ account: { id, closed } }: { readonly account: Account }) {
  const reading = useRead("keys.list", { account: id, limit: shown })
  const apis = useApiChoices()
  const [isCreating, setCreating] = useState(false)
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
                />
              </div>
              {has_more && <a href={addressOf("/keys", { account: id })}>All keys of this account</a>}
            </>
          )
        }
      </Ready>
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
