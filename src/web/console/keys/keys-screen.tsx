import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { AnswerOf } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { useBulk } from "../../kit/bulk.tsx"
import { Button, LinkButton } from "../../kit/button.tsx"
import { closeWindow, Dialog, WindowButton } from "../../kit/dialog.tsx"
import { Facts } from "../../kit/facts.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { ListPage } from "../../kit/list-page.tsx"
import { Empty } from "../../kit/states.tsx"
import { Time } from "../../kit/text.tsx"
import { CreateKey } from "../../shared/key-fields.tsx"
import { KeyState, nameOf } from "../../shared/key-state.tsx"
import { useApiChoices } from "../choices.tsx"
import { keyActions, keyColumns, type ListedKey } from "./listed-keys.tsx"

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
  const bulk = useBulk<ListedKey>({
    thing: "key",
    // Many keys have the same name.
    nameOf: (key) => `${nameOf(key)} of ${key.account_name}`,
    actions: keyActions(),
  })
  const create = <CreateKey account={null} useApis={useApiChoices} kind="primary" />
  return (
    <ListPage
      title="Keys"
      actions={
        <>
          <WindowButton operation="keys.find" icon="search" opens={<FindKey />}>
            Look up a leaked key
          </WindowButton>
          {create}
        </>
      }
      operation="keys.list"
      filters={[
        { name: "account", label: "Account", placeholder: "acc_…" },
        { name: "external_id", label: "External id", placeholder: "Your own id", isShort: true },
        { name: "prefix", label: "Begins with", placeholder: "pk-Ab12cd", isShort: true },
        { name: "state", label: "State", choices: states },
        { name: "sort", label: "Order", choices: sorts },
      ]}
      hasTotal
      columns={keyColumns}
      bulk={bulk}
      empty={
        <Empty title="No keys yet" action={create}>
          A customer sends a key with each call. The account of the key pays for it.
        </Empty>
      }
    />
  )
}

/** Finds the key and account of a leaked text. */
function FindKey() {
  const [found, setFound] = useState<AnswerOf<"keys.find"> | null>(null)
  return (
    <Dialog title="Look up a leaked key">
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
          <div class="form-buttons row">
            <LinkButton kind="primary" href={addressOf(`/keys/${found.id}`)}>
              Open the key
            </LinkButton>
            {found.state === "works" && (
              <ActionButton
                kind="risky"
                operation="keys.disable"
                input={{ id: found.id }}
                done="The key is disabled. Calls with it are refused until it is enabled again."
                then={() => setFound({ ...found, state: "disabled" })}
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
          cancel={closeWindow}
        >
          <TextField name="key" label="Text of the key" required hint="It is neither stored nor logged." />
        </Form>
      )}
    </Dialog>
  )
}
