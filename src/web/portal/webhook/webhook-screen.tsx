import { useState } from "preact/hooks"
import type { Notice as SentNotice } from "../../client/operations.ts"
import { may, ownAccount, session } from "../../client/session.ts"
import { Button } from "../../kit/button.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty, Notice } from "../../kit/states.tsx"
import type { Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { NoticeState, NoticeWindow } from "../../shared/notice-window.tsx"
import { useWebhook, WebhookFacts } from "../../shared/webhook.tsx"

/** Where the account's notices are sent, and the latest of them. */
export function WebhookScreen() {
  const [version, setVersion] = useState(0)
  const [shown, setShown] = useState<SentNotice | null>(null)
  const refresh = () => setVersion((before) => before + 1)
  const { reading, actions, window } = useWebhook(ownAccount(), null, refresh)

  return (
    <Page
      title="Webhook"
      intro="Your server is told when 80&nbsp;% and 95&nbsp;% of the month's credits are used, and of other events that the operator has chosen."
      actions={actions}
    >
      {!may("webhooks.set") && (
        <Notice tone="plain">
          You cannot change the webhook here: either the plan {session.value?.account?.plan} does not allow
          it, or you signed in with a key that has limits of its own. Ask the operator of this service.
        </Notice>
      )}
      <WebhookFacts reading={reading}>Notices of this account are sent nowhere.</WebhookFacts>
      <Section
        title="Latest notices"
        actions={
          <Button kind="quiet" onClick={refresh}>
            Refresh
          </Button>
        }
      >
        <PagedTable
          what="notices"
          operation="notices.list"
          filters={{}}
          columns={columnsFor(setShown)}
          keyOf={({ id }) => id}
          version={version}
          empty={<Empty title="Nothing was sent yet">Notices and test events appear here.</Empty>}
        />
      </Section>
      {window}
      {shown && <NoticeWindow notice={shown} close={() => setShown(null)} />}
    </Page>
  )
}

function columnsFor(show: (notice: SentNotice) => void): readonly Column<SentNotice>[] {
  return [
    {
      title: "Event",
      isName: true,
      cell: ({ type, threshold }) => (threshold === null ? type : `${type}, ${threshold} %`),
    },
    { title: "State", cell: ({ state }) => <NoticeState state={state} /> },
    { title: "Raised", cell: ({ raised }) => <Time at={raised} style="instant" /> },
    { title: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
    { title: "Last answer", cell: (notice) => <LastAnswer notice={notice} /> },
    ...(may("notices.attempts")
      ? [
          {
            title: "Actions",
            cell: (notice: SentNotice) => (
              <div class="row-actions">
                <Button onClick={() => show(notice)} label={`Details of ${notice.type}, ${notice.id}`}>
                  Details
                </Button>
              </div>
            ),
          },
        ]
      : []),
  ]
}

/** The answer to the last attempt, and the time of the next. */
function LastAnswer({ notice }: { readonly notice: SentNotice }) {
  const { last_status: status, last_error: error, next_attempt: next } = notice
  return (
    <>
      {error ?? (status === null ? "none yet" : `Status ${status}`)}
      {next !== null && (
        <span class="muted small next">
          next attempt <Time at={next} style="distance" />
        </span>
      )}
    </>
  )
}
