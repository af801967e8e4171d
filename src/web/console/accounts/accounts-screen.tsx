import { useState } from "preact/hooks"
import { addressOf, go } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { Button } from "../../kit/button.tsx"
import { Meter } from "../../kit/facts.tsx"
import { ChoiceFilter, Filters, filterValue, flagValue, TextFilter } from "../../kit/filters.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { formatNumber, Tag, Time } from "../../kit/text.tsx"
import { CreateAccount } from "./account-windows.tsx"

const columns: readonly Column<Account>[] = [
  {
    title: "Account",
    isName: true,
    cell: ({ id, name }) => (
      <>
        <a href={addressOf(`/accounts/${id}`)}>{name}</a>
        <span class="below">{id}</span>
      </>
    ),
  },
  { title: "Plan", cell: ({ plan }) => plan },
  { title: "State", cell: (account) => <AccountState account={account} /> },
  {
    title: "Used",
    cell: ({ used_percent, name }) => <Meter percent={used_percent} label={`Used by ${name}`} />,
  },
  { title: "Credits left", isNumber: true, cell: ({ remaining }) => formatNumber(remaining ?? "unknown") },
  { title: "Created", cell: ({ created }) => <Time at={created} /> },
]

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
  const [isCreating, setCreating] = useState(false)
  const plans = useRead(may("plans.list") ? "plans.list" : null, {})
  const names = plans.data?.data.map(({ name }) => name) ?? []
  const create = may("accounts.create") && (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      Create account
    </Button>
  )

  function created({ id, name }: Account): void {
    say(`Account ${name} created.`)
    go(`/accounts/${id}`)
  }

  return (
    <Page title="Accounts" actions={create}>
      <Filters label="Filter accounts">
        <TextFilter name="search" label="Search" placeholder="Part of a name, or the start of an id" />
        <ChoiceFilter
          name="plan"
          label="Plan"
          choices={[["", "All plans"], ...names.map((name) => [name, name] as const)]}
        />
        <ChoiceFilter name="closed" label="State" choices={states} />
        <ChoiceFilter name="near_limit" label="Month" choices={limits} />
      </Filters>
      <PagedTable
        what="accounts"
        operation="accounts.list"
        filters={{
          search: filterValue("search"),
          plan: filterValue("plan"),
          closed: flagValue("closed"),
          near_limit: flagValue("near_limit"),
        }}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No accounts yet" action={create}>
            An account belongs to one customer. It has a plan, credits and keys.
          </Empty>
        }
      />
      {isCreating && <CreateAccount plans={names} close={() => setCreating(false)} done={created} />}
    </Page>
  )
}

export function AccountState({ account: { closed, problem } }: { readonly account: Account }) {
  if (closed !== null) return <Tag>Closed</Tag>
  return problem === null ? <Tag tone="good">Open</Tag> : <Tag tone="bad">Problem</Tag>
}
