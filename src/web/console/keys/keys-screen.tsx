import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { AnswerOf } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { useBulk } from "../../kit/bulk.tsx"
import { Button, LinkButton } from "../../kit/button.tsx"
import { Dialog } from "../../kit/dialog.tsx"
import { Facts } from "../../kit/facts.tsx"
import { TextField } from "../../kit/field.tsx"
import { ChoiceFilter, chosenValue, Filters, filterValues, TextFilter } from "../../kit/filters.tsx"
import { Form } from "../../kit/form.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import { Time } from "../../kit/text.tsx"
import { CreateKey } from "../../shared/key-fields.tsx"
import { KeyState, nameOf } from "../../shared/key-state.tsx"
import { useApiChoices } from "../api-filter.tsx"
import { keyActions } from "./key-actions.tsx"
import { keyColumns, type ListedKey } from "./key-columns.tsx"

const states = [
  ["", "All"],
  ["works", "Works"],
  ["disabled", "Disabled"],
  ["expired", "Expired"],
  ["revoked", "Revoked"],
] as const

const sorts = [
  ["", "Newest first"],
  ["oldest", "Oldest first"],
  ["name", "Name"],
] as const

/** The keys of all accounts. */
export function KeysScreen() {
  const [window, setWindow] = useState<"create" | "find" | null>(null)
  const [version, setVersion] = useState(0)
  const apis = useApiChoices()
  const close = () => setWindow(null)
  const filters = {
    ...filterValues("account", "external_id", "prefix"),
    state: chosenValue("state", states),
    sort: chosenValue("sort", sorts),
  }
  const total = useRead("keys.list", { ...filters, sort: null, limit: 1, total: true }, version)
  const bulk = useBulk<ListedKey>({
    thing: "key",
    keyOf: ({ id }) => id,
    // Many keys have the same name.
    nameOf: (key) => `${nameOf(key)} of ${key.account_name}`,
    actions: keyActions(),
    changed: () => setVersion((before) => before + 1),
  })
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
        <TextFilter name="account" label="Account" placeholder="acc_…" />
        <TextFilter name="external_id" label="External id" placeholder="Your own id" isShort />
        <TextFilter name="prefix" label="Begins with" placeholder="pk-Ab12cd" isShort />
        <ChoiceFilter name="state" label="State" choices={states} isFixed />
        <ChoiceFilter name="sort" label="Order" choices={sorts} isFixed />
      </Filters>
      <PagedTable
        what="keys"
        operation="keys.list"
        filters={filters}
        total={total.data?.total ?? null}
        columns={keyColumns}
        keyOf={({ id }) => id}
        version={version}
        bulk={bulk}
        empty={
          <Empty title="No keys yet" action={create}>
            A customer sends a key with each call. The account of the key pays for it.
          </Empty>
        }
      />
      {window === "find" && <FindKey close={close} changed={() => setVersion((before) => before + 1)} />}
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

/** Finds the key and account of a leaked text. */
function FindKey({ close, changed }: { readonly close: () => void; readonly changed: () => void }) {
  const [found, setFound] = useState<AnswerOf<"keys.find"> | null>(null)
  return (
    <Dialog title="Look up a leaked key" close={close}>
      {found ? (
        <>
          <Facts
            facts={[
              ["Key", nameOf(found)],
              ["State", <KeyState key="state" state={found.state} />],
              ["Account", found.account_name],
              ["Created", <Time key="created" at={found.created} />],
              found.text_ends === null
                ? null
                : ["This text ends", <Time key="ends" at={found.text_ends} style="instant" />],
            ]}
          />
          <div class="form-buttons">
            <LinkButton kind="primary" href={addressOf(`/keys/${found.id}`)}>
              Open the key
            </LinkButton>
            {may("keys.disable") && found.state === "works" && (
              <ActionButton
                kind="risky"
                run={(idempotencyKey) => send("keys.disable", { id: found.id }, { idempotencyKey })}
                done={() => {
                  say("The key is disabled. Calls with it are refused until it is enabled again.")
                  setFound({ ...found, state: "disabled" })
                  changed()
                }}
              >
                Disable
              </ActionButton>
            )}
            <Button kind="quiet" onClick={() => setFound(null)}>
              Look up another
            </Button>
          </div>
        </>
      ) : (
        <Form
          submit="Look up"
          required={{ key: "Type the key's text; it starts with pk-." }}
          send={(values) => send("keys.find", { key: values.text("key") })}
          done={setFound}
          cancel={close}
        >
          <TextField name="key" label="Text of the key" required hint="It is neither stored nor logged." />
        </Form>
      )}
    </Dialog>
  )
}
