import { addressOf } from "../../client/address.ts"
import type { Notice } from "../../client/operations.ts"
import { closeWindow, WindowButton } from "../../kit/dialog.tsx"
import { ActionButton, RefreshButton } from "../../kit/form-dialog.tsx"
import { ListPage } from "../../kit/list-page.tsx"
import { Empty } from "../../kit/page.tsx"
import { actionsColumn, type Column } from "../../kit/table.tsx"
import { CopyId, lines, Time } from "../../kit/text.tsx"
import { NoticeState, NoticeWindow, stateChoices } from "../../shared/notice-window.tsx"

const states = stateChoices("pending", "delivered", "failed", "mailed", "unsent")

const columns: readonly Column<Notice>[] = [
  {
    title: "Notice",
    isName: true,
    cell: ({ id, type }) => <span class="nowrap">{lines(type, <CopyId id={id} />)}</span>,
  },
  {
    title: "Account",
    cell: ({ account }) => (
      <CopyId id={account}>
        <a class="mono nowrap" href={addressOf(`/accounts/${account}`)}>
          {account}
        </a>
      </CopyId>
    ),
  },
  { title: "State", cell: (notice) => <NoticeState {...notice} /> },
  { title: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
  { title: "Raised", cell: ({ raised }) => <Time at={raised} style="distance" /> },
  actionsColumn((notice) => (
    <>
      <WindowButton
        operation="notices.attempts"
        label={`Details of ${notice.id}`}
        opens={<NoticeWindow notice={notice} buttons={<Resend notice={notice} />} />}
      >
        Details
      </WindowButton>
      <Resend notice={notice} />
    </>
  )),
]

/** Notices to accounts, and how they were delivered. */
export function NoticesScreen() {
  return (
    <ListPage
      title="Notices"
      intro="Notices to accounts by webhook or mail: low credits, expiring keys, chosen events."
      actions={<RefreshButton />}
      operation="notices.list"
      filters={[
        { name: "state", label: "State", choices: states },
        { name: "account", label: "Account", placeholder: "Its id, such as acc_1234567890abcdef" },
      ]}
      hasTotal
      columns={columns}
      empty={
        <Empty title="No notices yet">
          One is made when an account has used 80&nbsp;% of its credits. Set a webhook on the page of the
          account, and send a test event there.
        </Empty>
      }
    />
  )
}

/** Sends a notice again, unless it is still pending. */
function Resend({ notice: { id, state } }: { readonly notice: Notice }) {
  if (state === "pending") return null
  return (
    <ActionButton
      operation="notices.resend"
      input={{ id }}
      done="The notice is sent again."
      then={closeWindow}
    >
      Send again<span class="hidden"> {id}</span>
    </ActionButton>
  )
}
