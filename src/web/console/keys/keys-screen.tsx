import { useState } from "preact/hooks"
import { may } from "../../client/session.ts"
import type { Key } from "../../client/types.ts"
import { Button } from "../../kit/button.tsx"
import { Filters, filterValue, TextFilter } from "../../kit/filters.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty } from "../../kit/states.tsx"
import { CreateKey } from "./create-key.tsx"
import { FindKey } from "./find-key.tsx"
import { keyColumns } from "./key-columns.tsx"

/** The keys of all accounts. */
export function KeysScreen() {
  const [window, setWindow] = useState<"create" | "find" | null>(null)
  const [version, setVersion] = useState(0)
  const close = () => setWindow(null)
  const create = may("keys.create") && (
    <Button kind="primary" icon="plus" onClick={() => setWindow("create")}>
      Create key
    </Button>
  )

  return (
    <Page
      title="Keys"
      actions={
        <>
          {may("keys.find") && (
            <Button icon="search" onClick={() => setWindow("find")}>
              Find by text
            </Button>
          )}
          {create}
        </>
      }
    >
      <Filters label="Filter keys">
        <TextFilter name="account" label="Account" placeholder="Its id, such as acc_1234567890abcdef" />
        <TextFilter name="external_id" label="External id" placeholder="Your own id of a key" />
      </Filters>
      <PagedTable<Key>
        what="keys"
        path="/keys"
        filters={{ account: filterValue("account"), external_id: filterValue("external_id") }}
        columns={keyColumns}
        keyOf={({ id }) => id}
        version={version}
        empty={
          <Empty title="No keys yet" action={create}>
            A customer sends a key with each call. The account of the key pays for it.
          </Empty>
        }
      />
      {window === "find" && <FindKey close={close} />}
      {window === "create" && (
        <CreateKey
          account={null}
          close={close}
          done={() => {
            close()
            setVersion((before) => before + 1)
          }}
        />
      )}
    </Page>
  )
}
