import { addressOf } from "../../client/address.ts"
import { nowMs } from "../../client/browser.ts"
import type { Key } from "../../client/types.ts"
import type { Column } from "../../kit/table.tsx"
import { Tag, Time } from "../../kit/text.tsx"

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
    <a class="plain-link" href={addressOf(`/accounts/${account}`)}>
      <code>{account}</code>
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

export type KeyStateName = "works" | "revoked" | "disabled" | "expired" | "rotated" | "account-closed"

/** A key may have no name. */
export function nameOf({ name, id }: Pick<Key, "name" | "id">): string {
  return name === "" ? id : name
}

export function stateOf({ revoked, disabled, expires }: Key): KeyStateName {
  if (revoked !== null) return "revoked"
  if (disabled !== null) return "disabled"
  return expires !== null && new Date(expires).getTime() <= nowMs() ? "expired" : "works"
}

const tones = {
  works: ["good", "Works"],
  revoked: ["bad", "Revoked"],
  disabled: ["warn", "Disabled"],
  expired: ["plain", "Expired"],
  rotated: ["plain", "Rotated"],
  "account-closed": ["plain", "Account closed"],
} as const

export function KeyState({ state }: { readonly state: KeyStateName }) {
  const [tone, text] = tones[state]
  return <Tag tone={tone}>{text}</Tag>
}
