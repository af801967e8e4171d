import { useState } from "preact/hooks"
import { may } from "../../client/session.ts"
import { Button } from "../../kit/button.tsx"
import { Filters, filterValues, TextFilter } from "../../kit/filters.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty } from "../../kit/states.tsx"
import { CreateKey } from "../../shared/create-key.tsx"
import { useApiChoices } from "../api-filter.tsx"
import { FindKey } from "./find-key.tsx"
import { keyColumns } from "./key-columns.tsx"

/** The keys of all accounts. */
export function KeysScreen() {
  const [window, setWindow] = useState<"create" | "find" | null>(null)
  const [version, setVersion] = useState(0)
  const apis = useApiChoices()
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
              Look up a leaked key
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
      <PagedTable
        what="keys"
        operation="keys.list"
        filters={filterValues("account", "external_id")}
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
          apis={apis}
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
