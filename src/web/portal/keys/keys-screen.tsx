import type { EntryOf, OwnKey } from "../../client/operations.ts"
import { may, ownAccount } from "../../client/session.ts"
import { FormButton } from "../../kit/form-dialog.tsx"
import { Empty, Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import type { Column } from "../../kit/table.tsx"
import { lines, Time } from "../../kit/text.tsx"
import { CreateKey, RevokeKey, RotateKey } from "../../shared/key-fields.tsx"
import { KeyState, nameOf, stateOf } from "../../shared/key-state.tsx"
import { NotAllowed } from "../not-allowed.tsx"
import { toChoices, useCatalog } from "../playground-catalog.ts"

const columns: readonly Column<EntryOf<"keys.list">>[] = [
  {
    title: "Key",
    isName: true,
    cell: (key) => lines(<span>{nameOf(key)}</span>, `${key.prefix}…`),
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
  const create = <CreateKey account={ownAccount()} useApis={useOwnApis} kind="primary" />
  return (
    <Page
      title="Keys"
      intro="Each program that calls the APIs should have a key of its own."
      actions={create}
    >
      <MissingActions />
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
function MissingActions() {
  const missing = (["create", "rotate", "revoke"] as const).filter((word) => !may(`keys.${word}`))
  if (missing.length === 0) return null
  return <NotAllowed what={`${missing.join(", ").replace(/, (?=[^,]*$)/, " or ")} keys`} />
}

function KeyActions({ of: key }: { readonly of: OwnKey }) {
  if (key.revoked !== null) return <span class="muted">none</span>
  const name = nameOf(key)
  return (
    <div class="row-actions row">
      <FormButton
        operation="keys.update"
        label="Rename"
        of={name}
        given={{ id: key.id }}
        values={key}
        fields={{ name: { hint: "What the key is for." } }}
        done="Key renamed."
      />
      <RotateKey value={key} />
      <RevokeKey value={key} />
    </div>
  )
}

function useOwnApis() {
  return toChoices(useCatalog().data ?? [])
}
