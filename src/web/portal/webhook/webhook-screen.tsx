import { useState } from "preact/hooks"
import type { Notice as SentNotice } from "../../client/operations.ts"
import { may, ownAccount, session } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { Button } from "../../kit/button.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty, Notice, Ready } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { NoticeState, NoticeWindow } from "../../shared/notice-window.tsx"
import { useWebhook, WebhookFacts } from "../../shared/webhook.tsx"
import { ChooseNotices, mayChoose, whatIsTold, whereNoticesGo } from "./choose-notices.tsx"

/** How the account gets its notices, its webhook, and the latest notices. */
export function WebhookScreen() {
  const [version, setVersion] = useState(0)
  const [shown, setShown] = useState<SentNotice | null>(null)
  const refresh = () => setVersion((before) => before + 1)
  const [isChoosing, setChoosing] = useState(false)
  const account = useRead("accounts.get", { id: ownAccount() })
  const { reading, actions, window } = useWebhook(ownAccount(), null, refresh)

  function chosen(): void {
    setChoosing(false)
    say("Saved.")
    account.reload()
  }

  return (
    <Page title="Notices" intro={account.data && whatIsTold(account.data.events)}>
      <Section
        title="How you get them"
        actions={
          account.data &&
          mayChoose(account.data) && <Button onClick={() => setChoosing(true)}>Choose how</Button>
        }
      >
        <Ready reading={account} what="your account">
          {(data) => (
            <Ready reading={reading} what="the webhook">
              {(webhook) => <p>{whereNoticesGo(data, webhook)}</p>}
            </Ready>
          )}
        </Ready>
      </Section>
      <Section title="Webhook" actions={actions}>
        {!may("webhooks.set") && (
          <Notice tone="plain">
            You cannot change the webhook here: either the plan {session.value?.account?.plan} does not allow
            it, or you signed in with a key that has limits of its own. Ask the operator of this service.
          </Notice>
        )}
        <WebhookFacts reading={reading}>Set one to get notices at your server.</WebhookFacts>
      </Section>
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
      {isChoosing && account.data && (
        <ChooseNotices account={account.data} close={() => setChoosing(false)} done={chosen} />
      )}
      {shown && <NoticeWindow notice={shown} close={() => setShown(null)} />}
    </Page>
  )
}

function columnsFor(show: (notice: SentNotice) => void): readonly Column<SentNotice>[] {
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
  const refusal = notice.state === "mailed" && error !== null ? "Not taken by the mail server" : error
  return (
    <>
      {refusal ?? (status === null ? "none yet" : `Status ${status}`)}
      {next !== null && (
        <span class="muted small next">
          next attempt <Time at={next} style="distance" />
        </span>
      )}
    </>
  )
}
