import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { useBulk } from "../../kit/bulk.tsx"
import { bulkAction } from "../../kit/bulk-dialog.tsx"
import type { Choices } from "../../kit/field.tsx"
import { ListPage } from "../../kit/list-page.tsx"
import { Empty, Meter } from "../../kit/page.tsx"
import type { Column } from "../../kit/table.tsx"
import { CopyId, formatNumber, lines, Tag, Time } from "../../kit/text.tsx"
import { usePlanChoices } from "../choices.tsx"
import { adjustmentFields, CreateAccount } from "./account-windows.tsx"

const columns: readonly Column<Account>[] = [
  {
    title: "Account",
    isName: true,
    cell: ({ id, name }) => lines(<a href={addressOf(`/accounts/${id}`)}>{name}</a>, <CopyId id={id} />),
  },
  { title: "Plan", cell: ({ plan }) => plan },
  { title: "State", cell: (account) => <AccountState account={account} /> },
  {
    title: "Used",
    cell: ({ used_percent, name }) => <Meter percent={used_percent} label={`Used by ${name}`} />,
  },
  { title: "Credits left", isNumber: true, cell: ({ remaining }) => formatNumber(remaining ?? "unknown") },
  { title: "Last call", cell: ({ last_used }) => (last_used ? <Time at={last_used} /> : "never") },
  { title: "Created", cell: ({ created }) => <Time at={created} /> },
]

const sorts = [
  ["", "Newest first"],
  ["oldest", "Oldest first"],
  ["name", "Name"],
  ["used", "Most used this month"],
  ["last_used", "Last call"],
] as const

const states = [
  ["", "All"],
  ["false", "Open"],
  ["true", "Closed"],
] as const

const limits = [
  ["", "All"],
  ["true", "80 % used, or more"],
] as const

/** All accounts, with what they have left. */
export function AccountsScreen() {
  const plans = usePlanChoices()
  const bulk = useBulk<Account>({
    thing: "account",
    nameOf: ({ name }) => name,
    actions: accountActions(plans),
  })
  return (
    <ListPage
      title="Accounts"
      actions={<CreateAccount />}
      operation="accounts.list"
      filters={[
        { name: "search", label: "Search", placeholder: "Name, e-mail or id" },
        plans
          ? { name: "plan", label: "Plan", choices: [["", "All plans"], ...plans], isOpen: true }
          : { name: "plan", label: "Plan", placeholder: "free", isShort: true },
        { name: "closed", label: "State", choices: states },
        { name: "near_limit", label: "Month", choices: limits },
        { name: "external_id", label: "External id", placeholder: "Your own id", isShort: true },
        { name: "key_prefix", label: "Key begins with", placeholder: "pk-Ab12cd", isShort: true },
        { name: "sort", label: "Order", choices: sorts },
      ]}
      toInput={(values) => {
        const { search } = values
        return search?.includes("@") ? { ...values, search: null, email: search } : values
      }}
      hasTotal
      columns={columns}
      bulk={bulk}
      empty={
        <Empty title="No accounts yet" action={<CreateAccount />}>
          An account belongs to one customer. It has a plan, credits and keys.
        </Empty>
      }
    />
  )
}

export function AccountState({ account: { closed, problem } }: { readonly account: Account }) {
  if (closed !== null) return <Tag>Closed</Tag>
  return problem === null ? <Tag tone="good">Open</Tag> : <Tag tone="bad">Problem</Tag>
}

/**
 * Changes to several accounts at once.
 * @param plans all plans: empty until they are known, undefined for a user who may not list them
 */
function accountActions(plans: Choices | undefined) {
  return [
    bulkAction<Account, "credits.adjust">({
      operation: "credits.adjust",
      label: "Adjust credits",
      title: (accounts) => `Adjust credits of ${accounts}`,
      done: (accounts) => `Credits of ${accounts} adjusted.`,
      about: "Each account gets the same credits, or loses them. An adjustment can be undone in its account.",
      fields: adjustmentFields,
      skip: skipClosed,
    }),
    plans?.length !== 0
      ? bulkAction<Account, "accounts.update">({
          operation: "accounts.update",
          label: "Change plan",
          title: (accounts) => `Change the plan of ${accounts}`,
          done: (accounts) => `Plan of ${accounts} changed.`,
          about: "It takes effect with the next call. What was used this month stays used.",
          fields: { plan: { choices: plans, hint: plans ? "" : "Its name, such as free." } },
          skip: skipClosed,
        })
      : null,
    bulkAction<Account, "accounts.close">({
      operation: "accounts.close",
      label: "Close",
      done: (accounts) => `${accounts} closed.`,
      about:
        "Their keys are refused from now on. You can reopen them later; keys, credits and usage are kept.",
      danger: true,
      skip: ({ closed }) => (closed === null ? null : "closed already"),
    }),
  ]
}

function skipClosed({ closed }: Account): string | null {
  return closed === null ? null : "closed"
}
