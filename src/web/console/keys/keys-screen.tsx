import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { AnswerOf, Key } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { useBulk } from "../../kit/bulk.tsx"
import { Button, closeWindow, Dialog, LinkButton, WindowButton } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { ActionButton, FormButton } from "../../kit/form-dialog.tsx"
import { ListPage } from "../../kit/list-page.tsx"
import { Empty, Facts, Page, Ready, Section } from "../../kit/page.tsx"
import { CopyId, formatNumber, Time } from "../../kit/text.tsx"
import { type ChangeKeyProps, CreateKey, keyFields, RevokeKey, RotateKey } from "../../shared/key-fields.tsx"
import { KeyState, nameOf, stateOf } from "../../shared/key-state.tsx"
import { useApiChoices } from "../choices.tsx"
import { RecentUsage } from "../recent-usage.tsx"
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

/** One key: what it may do, what was done with it, and everything that can be changed. */
export function KeyScreen({ id }: { readonly id: string }) {
  const reading = useRead("keys.get", { id })
  const { data: key } = reading
  return (
    <Page
      title={key ? nameOf(key) : "Key"}
      up={{ title: "Keys", href: addressOf("/keys") }}
      actions={key && key.revoked === null && <Actions value={key} done={reading.show} />}
    >
      <Ready reading={reading} what="the key">
        {(key) => (
          <>
            <KeyFacts keyShown={key} />
            {may("usage.query") && (
              <Section title="Usage">
                <RecentUsage filter={{ key: key.id }} file={`usage-${key.id}`} />
              </Section>
            )}
          </>
        )}
      </Ready>
    </Page>
  )
}

function Actions({ value: key, done }: Required<ChangeKeyProps<Key>>) {
  const isOn = key.disabled === null
  return (
    <>
      <FormButton
        operation="keys.update"
        label="Edit"
        title="Edit key"
        given={{ id: key.id }}
        values={key}
        fields={() => keyFields(useApiChoices())}
        done="Key saved."
        then={done}
      />
      <RotateKey value={key} done={done} />
      <ActionButton
        operation={isOn ? "keys.disable" : "keys.enable"}
        input={{ id: key.id }}
        done={isOn ? "Key disabled." : "Key enabled."}
        then={done}
      >
        {isOn ? "Disable" : "Enable"}
      </ActionButton>
      <RevokeKey value={key} done={done} />
    </>
  )
}

function KeyFacts({ keyShown: key }: { readonly keyShown: Key }) {
  const owner = useRead(may("accounts.get") ? "accounts.get" : null, { id: key.account })
  return (
    <Facts
      facts={[
        ["State", <KeyState key="state" state={stateOf(key)} />],
        [
          "Account",
          <a key="account" href={addressOf(`/accounts/${key.account}`)}>
            {owner.data?.name ?? key.account}
          </a>,
        ],
        ["Begins with", <code key="prefix">{key.prefix}</code>],
        ["Id", <CopyId key="id" id={key.id} />],
        ["Created", <Time key="created" at={key.created} style="instant" />],
        ["Expires", key.expires ? <Time key="expires" at={key.expires} style="instant" /> : "never"],
        key.revoked === null ? null : ["Revoked", <Time key="revoked" at={key.revoked} style="instant" />],
        key.disabled === null
          ? null
          : ["Disabled", <Time key="disabled" at={key.disabled} style="instant" />],
        ["APIs", key.allow_apis?.join(", ") ?? "all"],
        key.block_apis.length === 0 ? null : ["Not these APIs", key.block_apis.join(", ")],
        ["Addresses", key.allow_ips?.join(", ") ?? "any"],
        ["Calls a minute", key.rate_limit === null ? "as the plan allows" : formatNumber(key.rate_limit)],
        key.external_id === null ? null : ["External id", key.external_id],
      ]}
    />
  )
}
