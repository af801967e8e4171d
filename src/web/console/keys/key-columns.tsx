import { addressOf } from "../../client/address.ts"
import type { Key } from "../../client/operations.ts"
import type { Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { KeyState, nameOf, stateOf } from "../../shared/key-state.tsx"

const name: Column<Key> = {
  title: "Key",
  isName: true,
  cell: (key) => (
    <>
      <a href={addressOf(`/keys/${key.id}`)}>{nameOf(key)}</a>
      <span class="below">{key.prefix}…</span>
    </>
  ),
}
const account: Column<Key> = {
  title: "Account",
  cell: ({ account }) => (
    <a class="mono" href={addressOf(`/accounts/${account}`)}>
      {account}
    </a>
  ),
}
const rest: readonly Column<Key>[] = [
  { title: "State", cell: (key) => <KeyState state={stateOf(key)} /> },
  { title: "Calls a minute", isNumber: true, cell: ({ rate_limit }) => rate_limit ?? "no limit" },
  { title: "Expires", cell: ({ expires }) => (expires ? <Time at={expires} /> : "never") },
  { title: "Created", cell: ({ created }) => <Time at={created} /> },
]

/** The columns of keys of all accounts. */
export const keyColumns: readonly Column<Key>[] = [name, account, ...rest]
/** The columns of keys of one account. */
export const ownKeyColumns: readonly Column<Key>[] = [name, ...rest]
