import { useState } from "preact/hooks"
import { write } from "../../client/request.ts"
import { may, session } from "../../client/session.ts"
import type { NoticeList, Webhook } from "../../client/types.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { Button } from "../../kit/button.tsx"
import { Facts } from "../../kit/facts.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty, Notice, Ready } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { Code, Tag, Time } from "../../kit/text.tsx"
import { NoticeState } from "../../shared/notice-state.tsx"
import { NoticeWindow } from "../../shared/notice-window.tsx"
import { RemoveWebhook } from "../../shared/remove-webhook.tsx"
import { ownAccount } from "../own-account.ts"
import { SetOwnWebhook } from "./set-own-webhook.tsx"

type SentNotice = NoticeList["data"][number]

/** Where the account's notices are sent, and the latest of them. */
export function WebhookScreen() {
  const path = `/accounts/${encodeURIComponent(ownAccount())}/webhook`
  const reading = useRead<Webhook>(path)
  const [window, setWindow] = useState<"set" | "remove" | null>(null)
  const [version, setVersion] = useState(0)
  const [shown, setShown] = useState<SentNotice | null>(null)
  const { data: webhook } = reading
  const close = () => setWindow(null)

  function changed(text: string): void {
    close()
    say(text)
    reading.reload()
    setVersion((before) => before + 1)
  }

  const actions = webhook && (
    <>
      {webhook.url !== null && may("notices.test") && (
        <ActionButton
          run={(idempotencyKey) => write("POST", `${path}/test`, {}, { idempotencyKey })}
          done={() => changed("A test event is on its way. It is in the list below.")}
        >
          Send a test event
        </ActionButton>
      )}
      {webhook.url !== null && may("webhooks.delete") && (
        <Button kind="risky" onClick={() => setWindow("remove")}>
          Remove
        </Button>
      )}
      {may("webhooks.set") && (
        <Button kind={webhook.url === null ? "primary" : "plain"} onClick={() => setWindow("set")}>
          {webhook.url === null ? "Set a webhook" : "Change"}
        </Button>
      )}
    </>
  )

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
      <Ready reading={reading} what="the webhook">
        {({ url, disabled }) =>
          url === null ? (
            <Empty title="No webhook">Notices of this account are sent nowhere.</Empty>
          ) : (
            <Facts
              facts={[
                ["Address", <Code key="url">{url}</Code>],
                [
                  "State",
                  <Tag key="state" tone={disabled === null ? "good" : "bad"}>
                    {disabled === null ? "Active" : "Disabled: the receiver answered 410"}
                  </Tag>,
                ],
              ]}
            />
          )
        }
      </Ready>
      <Section
        title="Latest notices"
        actions={
          <Button kind="quiet" onClick={() => setVersion((before) => before + 1)}>
            Read again
          </Button>
        }
      >
        <PagedTable
          what="notices"
          path="/notices"
          columns={columnsFor(setShown)}
          keyOf={({ id }: SentNotice) => id}
          version={version}
          empty={<Empty title="Nothing was sent yet">Notices and test events appear here.</Empty>}
        />
      </Section>
      {window === "set" && (
        <SetOwnWebhook path={path} webhook={webhook} close={close} done={() => changed("Webhook set.")} />
      )}
      {window === "remove" && (
        <RemoveWebhook path={path} close={close} done={() => changed("Webhook removed.")} />
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

/** What came back for the last attempt, and when the next is made. */
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
