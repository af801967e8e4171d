import { addressOf } from "../../client/address.ts"
import type { EntryOf } from "../../client/operations.ts"
import { bulkAction } from "../../kit/bulk-dialog.tsx"
import type { Column } from "../../kit/table.tsx"
import { CopyId, lines, Time } from "../../kit/text.tsx"
import { KeyState, nameOf, stateOf } from "../../shared/key-state.tsx"

/** A key in a list. */
export type ListedKey = EntryOf<"keys.list">

const name: Column<ListedKey> = {
  title: "Key",
  isName: true,
  cell: (key) => {
    const isNamed = key.name !== ""
    const link = (
      <a class={isNamed ? undefined : "mono nowrap"} href={addressOf(`/keys/${key.id}`)}>
        {nameOf(key)}
      </a>
    )
    return lines(
      isNamed ? link : <CopyId id={key.id}>{link}</CopyId>,
      `${key.prefix}…`,
      isNamed && (
        <span class="nowrap">
          <CopyId id={key.id} />
        </span>
      ),
    )
  },
}
const account: Column<ListedKey> = {
  title: "Account",
  cell: ({ account, account_name }) => <a href={addressOf(`/accounts/${account}`)}>{account_name}</a>,
}
const rest: readonly Column<ListedKey>[] = [
  { title: "State", cell: (key) => <KeyState state={stateOf(key)} /> },
  { title: "Last call", cell: ({ last_used }) => (last_used ? <Time at={last_used} /> : "never") },
  { title: "Calls a minute", isNumber: true, cell: ({ rate_limit }) => rate_limit ?? "no limit" },
  { title: "Expires", cell: ({ expires }) => (expires ? <Time at={expires} /> : "never") },
  { title: "Created", cell: ({ created }) => <Time at={created} /> },
]

/** The columns of keys of all accounts. */
export const keyColumns: readonly Column<ListedKey>[] = [name, account, ...rest]
/** The columns of keys of one account. */
export const ownKeyColumns: readonly Column<ListedKey>[] = [name, ...rest]

/** Changes to several keys at once. */
export function keyActions() {
  return [
    bulkAction<ListedKey, "keys.enable">({
      operation: "keys.enable",
      label: "Enable",
      done: (keys) => `${keys} enabled.`,
      about: "Calls with them are answered again.",
      skip: ({ revoked, disabled }) =>
        revoked !== null ? "revoked" : disabled === null ? "not disabled" : null,
    }),
    bulkAction<ListedKey, "keys.disable">({
      operation: "keys.disable",
      label: "Disable",
      done: (keys) => `${keys} disabled.`,
      about: "Calls with them are refused until they are enabled again.",
      danger: true,
      skip: ({ revoked, disabled }) =>
        revoked !== null ? "revoked" : disabled === null ? null : "disabled already",
    }),
    bulkAction<ListedKey, "keys.revoke">({
      operation: "keys.revoke",
      label: "Revoke",
      done: (keys) => `${keys} revoked.`,
      about:
        "Calls with them are refused from now on. This cannot be undone. To stop them for a while, disable them instead.",
      danger: true,
      skip: ({ revoked }) => (revoked === null ? null : "revoked already"),
    }),
  ]
}
