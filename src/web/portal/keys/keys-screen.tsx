import type { EntryOf, OwnKey } from "../../client/operations.ts"
import { may, ownAccount, session } from "../../client/session.ts"
import { WindowButton } from "../../kit/dialog.tsx"
import { FormDialog } from "../../kit/form-dialog.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty, Notice } from "../../kit/states.tsx"
import type { Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { type ChangeKeyProps, RevokeKey, RotateKey } from "../../shared/change-key.tsx"
import { CreateKey } from "../../shared/key-fields.tsx"
import { KeyState, nameOf, stateOf } from "../../shared/key-state.tsx"
import { toChoices, useCatalog } from "../playground-catalog.ts"

const columns: readonly Column<EntryOf<"keys.list">>[] = [
  {
    title: "Key",
    isName: true,
    cell: (key) => (
      <>
        <span>{nameOf(key)}</span>
        <span class="below">{key.prefix}…</span>
      </>
    ),
  },
  { title: "State", cell: (key) => <KeyState state={stateOf(key)} /> },
  { title: "Last call", cell: ({ last_used }) => (last_used ? <Time at={last_used} /> : "never") },
  { title: "Created", cell: ({ created }) => <Time at={created} /> },
  { title: "Expires", cell: ({ expires }) => (expires ? <Time at={expires} /> : "never") },
]
const actionsColumn = { title: "Actions", cell: (key: OwnKey) => <KeyActions of={key} /> }

/** The keys of the account, and everything that its customer may do with them. */
export function KeysScreen() {
  const hasActions = may("keys.update") || may("keys.rotate") || may("keys.revoke")
  const create = (
    <WindowButton operation="keys.create" kind="primary" icon="plus" opens={<CreateOwnKey />}>
      Create key
    </WindowButton>
  )
  return (
    <Page
      title="Keys"
      intro="Each program that calls the APIs should have a key of its own."
      actions={create}
    >
      <NotAllowed />
      <PagedTable
        what="keys"
        operation="keys.list"
        filters={{}}
        columns={hasActions ? [...columns, actionsColumn] : columns}
        empty={
          <Empty title="No keys yet" action={create}>
            A key is what a program proves with that it calls for you.
          </Empty>
        }
      />
    </Page>
  )
}

/** Says what this customer may not do, so that nobody looks for a missing button. */
function NotAllowed() {
  const missing = (["create", "rotate", "revoke"] as const).filter((word) => !may(`keys.${word}`))
  if (missing.length === 0) return null
  return (
    <Notice tone="plain">
      You cannot {missing.join(", ").replace(/, (?=[^,]*$)/, " or ")} keys here: either the plan{" "}
      {session.value?.account?.plan} does not allow it, or you signed in with a key that has limits of its
      own. Ask the operator of this service.
    </Notice>
  )
}

function KeyActions({ of: key }: { readonly of: OwnKey }) {
  if (key.revoked !== null) return <span class="muted">none</span>
  const name = nameOf(key)
  return (
    <div class="row-actions">
      <WindowButton operation="keys.update" label={`Rename ${name}`} opens={<RenameKey value={key} />}>
        Rename
      </WindowButton>
      <WindowButton operation="keys.rotate" label={`Rotate ${name}`} opens={<RotateKey value={key} />}>
        Rotate
      </WindowButton>
      <WindowButton
        operation="keys.revoke"
        kind="risky"
        label={`Revoke ${name}`}
        opens={<RevokeKey value={key} />}
      >
        Revoke
      </WindowButton>
    </div>
  )
}

function CreateOwnKey() {
  const { data } = useCatalog()
  return <CreateKey account={ownAccount()} apis={toChoices(data ?? [])} isBrief />
}

/** Gives a key another name. */
function RenameKey({ value }: ChangeKeyProps) {
  return (
    <FormDialog
      operation="keys.update"
      title={`Rename ${nameOf(value)}`}
      submit="Save"
      given={{ id: value.id }}
      values={value}
      fields={{ name: { hint: "What the key is for." } }}
      done="Key renamed."
    />
  )
}
