import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { Notice } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { Button } from "../../kit/button.tsx"
import { CopyId } from "../../kit/copy-id.tsx"
import { ChoiceFilter, chosenValue, Filters, filterValue, TextFilter } from "../../kit/filters.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { NoticeState, NoticeWindow } from "../../shared/notice-window.tsx"

const states = [
  ["", "All"],
  ["pending", "Waiting to be sent"],
  ["delivered", "Delivered"],
  ["failed", "Failed"],
  ["mailed", "By mail"],
  ["unsent", "Not sent"],
] as const

/** Notices to accounts, and how they were delivered. */
export function NoticesScreen() {
  const [shown, setShown] = useState<Notice | null>(null)
  const [version, setVersion] = useState(0)
  const filters = { state: chosenValue("state", states), account: filterValue("account") }
  const total = useRead("notices.list", { ...filters, limit: 1, total: true }, version)

  function resent(): void {
    say("The notice is sent again.")
    setShown(null)
    setVersion((before) => before + 1)
  }

  const columns: readonly Column<Notice>[] = [
    {
      title: "Notice",
      isName: true,
      cell: ({ id, type }) => (
        <>
          <span class="nowrap">{type}</span>
          <span class="below nowrap">
            <CopyId id={id} />
          </span>
        </>
      ),
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
    {
      title: "Actions",
      cell: (notice) => (
        <div class="row-actions">
          <Button onClick={() => setShown(notice)} label={`Details of ${notice.id}`}>
            Details
          </Button>
          <Resend notice={notice} done={resent} />
        </div>
      ),
    },
  ]

  return (
    <Page
      title="Notices"
      intro="Notices to accounts by webhook or mail: low credits, expiring keys, chosen events."
      actions={<Button onClick={() => setVersion((before) => before + 1)}>Refresh</Button>}
    >
      <Filters label="Filter notices">
        <ChoiceFilter name="state" label="State" choices={states} isFixed />
        <TextFilter name="account" label="Account" placeholder="Its id, such as acc_1234567890abcdef" />
      </Filters>
      <PagedTable
        what="notices"
        operation="notices.list"
        filters={filters}
        total={total.data?.total ?? null}
        columns={columns}
        keyOf={({ id }) => id}
        version={version}
        empty={
          <Empty title="No notices yet">
            One is made when an account has used 80&nbsp;% of its credits. Set a webhook on the page of the
            account, and send a test event there.
          </Empty>
        }
      />
      {shown && (
        <NoticeWindow notice={shown} close={() => setShown(null)}>
          <Resend notice={shown} done={resent} />
        </NoticeWindow>
      )}
    </Page>
  )
}

interface ResendProps {
  readonly notice: Notice
  done(): void
}

/** Sends a notice again, unless it is still pending. */
function Resend({ notice: { id, state }, done }: ResendProps) {
  if (state === "pending" || !may("notices.resend")) return null
  return (
    <ActionButton run={(idempotencyKey) => send("notices.resend", { id }, { idempotencyKey })} done={done}>
      Send again<span class="hidden"> {id}</span>
    </ActionButton>
  )
}
