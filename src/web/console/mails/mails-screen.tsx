import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { EntryOf } from "../../client/operations.ts"
import { useRead } from "../../client/use-read.ts"
import { Button } from "../../kit/button.tsx"
import { ChoiceFilter, chosenValue, Filters, filterValue, TextFilter } from "../../kit/filters.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty } from "../../kit/states.tsx"
import type { Column } from "../../kit/table.tsx"
import { Tag, Time } from "../../kit/text.tsx"

type Mail = EntryOf<"mails.list">

const states = [
  ["", "All"],
  ["pending", "Waiting"],
  ["delivered", "Taken by the mail server"],
  ["failed", "Failed"],
  ["unsent", "Not sent"],
  ["expired", "Expired"],
] as const

const tones = { pending: "plain", delivered: "good", failed: "bad", unsent: "warn", expired: "warn" } as const
const stateTexts = {
  pending: "Waiting",
  delivered: "Delivered",
  failed: "Failed",
  unsent: "Not sent",
  expired: "Expired",
} as const
const templateTexts = {
  "sign-in": "Link to sign in",
  confirmation: "Link to sign up",
  invitation: "Invitation",
  "address-changed": "Address was changed",
  notice: "Notice",
} as const

const columns: readonly Column<Mail>[] = [
  {
    title: "To",
    isName: true,
    cell: ({ address, account }) => (
      <>
        {account === null ? address : <a href={addressOf(`/accounts/${account}`)}>{address}</a>}
        {account !== null && <span class="below">{account}</span>}
      </>
    ),
  },
  {
    title: "Mail",
    cell: ({ template, event }) => (
      <>
        {templateTexts[template]}
        {event !== null && <span class="below">{event}</span>}
      </>
    ),
  },
  { title: "State", cell: ({ state }) => <Tag tone={tones[state]}>{stateTexts[state]}</Tag> },
  { title: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
  {
    title: "Mail server",
    cell: ({ last_status: status, last_error: error }) =>
      [status, error].filter((part) => part !== null).join(" ") || <span class="muted">not asked yet</span>,
  },
  { title: "Made", cell: ({ raised }) => <Time at={raised} style="distance" /> },
]

/** The mails of the service, such as to see why a customer got none. */
export function MailsScreen() {
  const [version, setVersion] = useState(0)
  const address = filterValue("address") || null
  const isSearched = address === null || isWhole(address)
  const filters = { address, account: filterValue("account"), state: chosenValue("state", states) }
  const total = useRead(isSearched ? "mails.list" : null, { ...filters, limit: 1, total: true }, version)
  return (
    <Page
      title="Mails"
      intro="To whom mails went, and what the mail server answered. Links are not shown."
      actions={<Button onClick={() => setVersion((before) => before + 1)}>Refresh</Button>}
    >
      <Filters label="Filter mails">
        <TextFilter name="address" label="Address" placeholder="ann@example.com" />
        <TextFilter name="account" label="Account" placeholder="acc_1234567890abcdef" />
        <ChoiceFilter name="state" label="State" choices={states} />
      </Filters>
      {isSearched ? (
        <PagedTable
          what="mails"
          operation="mails.list"
          filters={filters}
          total={total.data?.total ?? null}
          columns={columns}
          keyOf={({ id }) => id}
          version={version}
          empty={
            <Empty title="No mails yet">
              Links for customers and notices by mail appear here. They are sent where the service has a mail
              server (<code>--smtp</code>).
            </Empty>
          }
        />
      ) : (
        <Empty title="Type the whole address">Mails are found by it, such as ann@example.com.</Empty>
      )}
    </Page>
  )
}

/** Whether an address is typed to its end: before that, nothing is searched for. */
function isWhole(address: string): boolean {
  return /^[^@\s]+@[^@\s]+\.[^@\s.]{2,}$/.test(address)
}
