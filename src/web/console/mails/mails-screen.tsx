import { addressOf } from "../../client/address.ts"
import type { EntryOf } from "../../client/operations.ts"
import { filterValue } from "../../kit/filters.tsx"
import { RefreshButton } from "../../kit/form-dialog.tsx"
import { ListPage } from "../../kit/list-page.tsx"
import { Empty } from "../../kit/page.tsx"
import type { Column } from "../../kit/table.tsx"
import { lines, Time } from "../../kit/text.tsx"
import { StateTag, stateChoices } from "../../shared/notice-window.tsx"

const states = stateChoices("pending", "delivered", "failed", "unsent", "expired")
const templateTexts = {
  "sign-in": "Link to sign in",
  confirmation: "Link to sign up",
  invitation: "Invitation",
  "address-changed": "Address was changed",
  notice: "Notice",
} as const

const columns: readonly Column<EntryOf<"mails.list">>[] = [
  {
    title: "To",
    isName: true,
    cell: ({ address, account }) =>
      account === null ? address : lines(<a href={addressOf(`/accounts/${account}`)}>{address}</a>, account),
  },
  { title: "Mail", cell: ({ template, event }) => lines(templateTexts[template], event) },
  { title: "State", cell: ({ state }) => <StateTag state={state} /> },
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
  const address = filterValue("address")
  return (
    <ListPage
      title="Mails"
      intro="To whom mails went, and what the mail server answered. Links are not shown."
      actions={<RefreshButton />}
      operation="mails.list"
      filters={[
        { name: "address", label: "Address", placeholder: "ann@example.com" },
        { name: "account", label: "Account", placeholder: "acc_1234567890abcdef" },
        { name: "state", label: "State", choices: states },
      ]}
      instead={
        address !== null &&
        !isWhole(address) && (
          <Empty title="Type the whole address">Mails are found by it, such as ann@example.com.</Empty>
        )
      }
      hasTotal
      columns={columns}
      empty={
        <Empty title="No mails yet">
          Links for customers and notices by mail appear here. They are sent where the service has a mail
          server (<code>--smtp</code>).
        </Empty>
      }
    />
  )
}

/** Whether an address is typed to its end: before that, nothing is searched for. */
function isWhole(address: string): boolean {
  return /^[^@\s]+@[^@\s]+\.[^@\s.]{2,}$/.test(address)
}
