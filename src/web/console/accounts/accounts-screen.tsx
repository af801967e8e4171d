import { useState } from "preact/hooks"
import { addressOf, go } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { useBulk } from "../../kit/bulk.tsx"
import { Button } from "../../kit/button.tsx"
import { CopyId } from "../../kit/copy-id.tsx"
import { Meter } from "../../kit/facts.tsx"
import { ChoiceFilter, chosenValue, Filters, filterValue, flagValue, TextFilter } from "../../kit/filters.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { formatNumber, Tag, Time } from "../../kit/text.tsx"
import { accountActions } from "./account-actions.tsx"
import { CreateAccount } from "./account-windows.tsx"

const columns: readonly Column<Account>[] = [
  {
    title: "Account",
    isName: true,
    cell: ({ id, name }) => (
      <>
        <a href={addressOf(`/accounts/${id}`)}>{name}</a>
        <span class="below">
          <CopyId id={id} />
        </span>
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
  const [isCreating, setCreating] = useState(false)
  const [version, setVersion] = useState(0)
  const plans = useRead(may("plans.list") ? "plans.list" : null, {})
  const search = filterValue("search")
  const isEmail = search?.includes("@") ?? false
  const filters = {
    search: isEmail ? null : search,
    email: isEmail ? search : null,
    external_id: filterValue("external_id"),
    key_prefix: filterValue("key_prefix"),
    plan: filterValue("plan"),
    closed: flagValue("closed"),
    near_limit: flagValue("near_limit"),
    sort: chosenValue("sort", sorts),
  }
  const total = useRead("accounts.list", { ...filters, sort: null, limit: 1, total: true }, version)
  const names = plans.data?.data.map(({ name }) => name) ?? []
  const bulk = useBulk<Account>({
    thing: "account",
    keyOf: ({ id }) => id,
    nameOf: ({ name }) => name,
    actions: accountActions(names),
    changed: () => setVersion((before) => before + 1),
  })
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
        <TextFilter name="search" label="Search" placeholder="Name, e-mail or id" />
        {may("plans.list") ? (
          <ChoiceFilter
            name="plan"
            label="Plan"
            choices={[["", "All plans"], ...names.map((name) => [name, name] as const)]}
          />
        ) : (
          <TextFilter name="plan" label="Plan" placeholder="free" isShort />
        )}
        <ChoiceFilter name="closed" label="State" choices={states} isFixed />
        <ChoiceFilter name="near_limit" label="Month" choices={limits} isFixed />
        <TextFilter name="external_id" label="External id" placeholder="Your own id" isShort />
        <TextFilter name="key_prefix" label="Key begins with" placeholder="pk-Ab12cd" isShort />
        <ChoiceFilter name="sort" label="Order" choices={sorts} isFixed />
      </Filters>
      <PagedTable
        what="accounts"
        operation="accounts.list"
        filters={filters}
        total={total.data?.total ?? null}
        columns={columns}
        keyOf={({ id }) => id}
        version={version}
        bulk={bulk}
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
