import type { Notice as SentNotice } from "../../client/operations.ts"
import { may, ownAccount } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { RefreshButton } from "../../kit/action-button.tsx"
import { WindowButton } from "../../kit/dialog.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty, Ready } from "../../kit/states.tsx"
import { actionsColumn, type Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { NoticeState, NoticeWindow } from "../../shared/notice-window.tsx"
import { WebhookActions, WebhookFacts } from "../../shared/webhook.tsx"
import { NotAllowed } from "../not-allowed.tsx"
import { ChooseNotices, whatIsTold, whereNoticesGo } from "./choose-notices.tsx"

/** How the account gets its notices, its webhook, and the latest notices. */
export function WebhookScreen() {
  const account = useRead("accounts.get", { id: ownAccount() })
  const reading = useRead("webhooks.get", { id: ownAccount() })

  return (
    <Page title="Notices" intro={account.data && whatIsTold(account.data.events)}>
      <Section title="How you get them" actions={account.data && <ChooseNotices account={account.data} />}>
        <Ready reading={account} what="your account">
          {(data) => (
            <Ready reading={reading} what="the webhook">
              {(webhook) => <p>{whereNoticesGo(data, webhook)}</p>}
            </Ready>
          )}
        </Ready>
      </Section>
      <Section title="Webhook" actions={<WebhookActions webhook={reading.data} />}>
        {!may("webhooks.set") && <NotAllowed what="change the webhook" />}
        <WebhookFacts reading={reading}>Set one to get notices at your server.</WebhookFacts>
      </Section>
      <Section title="Latest notices" actions={<RefreshButton />}>
        <PagedTable
          what="notices"
          operation="notices.list"
          filters={{}}
          columns={columnsFor()}
          empty={<Empty title="Nothing was sent yet">Notices and test events appear here.</Empty>}
        />
      </Section>
    </Page>
  )
}

function columnsFor(): readonly Column<SentNotice>[] {
  return [
    {
      title: "Event",
      isName: true,
      cell: ({ type, threshold }) => (
        <span class="event">{threshold === null ? type : `${type}, ${threshold} %`}</span>
      ),
    },
    { title: "State", cell: (notice) => <NoticeState {...notice} /> },
    { title: "Raised", cell: ({ raised }) => <Time at={raised} style="instant" /> },
    { title: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
    { title: "Last answer", cell: (notice) => <LastAnswer notice={notice} /> },
    ...(may("notices.attempts")
      ? [
          actionsColumn<SentNotice>((notice) => (
            <WindowButton
              operation="notices.attempts"
              label={`Details of ${notice.type}, ${notice.id}`}
              opens={<NoticeWindow notice={notice} />}
            >
              Details
            </WindowButton>
          )),
        ]
      : []),
  ]
}

/** The answer to the last attempt, and the time of the next. */
function LastAnswer({ notice }: { readonly notice: SentNotice }) {
  const { last_status: status, last_error: error, next_attempt: next } = notice
  const refusal = notice.state === "mailed" && error !== null ? "Not taken by the mail server" : error
  return (
    <>
      {refusal ?? (status === null ? "none yet" : `Status ${status}`)}
      {next !== null && (
        <div class="muted small">
          next attempt <Time at={next} style="distance" />
        </div>
      )}
    </>
  )
}
