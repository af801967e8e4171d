import type { Account, Notice as SentNotice, Webhook } from "../../client/operations.ts"
import { may, ownAccount, session } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { WindowButton } from "../../kit/dialog.tsx"
import { FormButton, RefreshButton } from "../../kit/form-dialog.tsx"
import { Empty, Page, Ready, Section } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { actionsColumn, type Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { NoticeState, NoticeWindow } from "../../shared/notice-window.tsx"
import { WebhookActions, WebhookFacts } from "../../shared/webhook.tsx"
import { NotAllowed } from "../not-allowed.tsx"

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
type Chosen = Pick<Account, "notify" | "email">

const sendsMail = () => session.value?.account?.mail === true

/** Whether the customer can choose: without mail there is only the webhook. */
function mayChoose({ email }: Chosen): boolean {
  return may("notices.choose") && sendsMail() && email !== null
}

/** Says truly where notices go, and what is missing. */
function whereNoticesGo({ notify, email }: Chosen, { url, disabled }: Webhook): string {
  const hasWebhook = url !== null && disabled === null
  const wantsWebhook = notify === "webhook" || notify === "both"
  const wantsMail = notify === "mail" || notify === "both"
  const goes = [
    wantsWebhook && hasWebhook && "to your webhook",
    wantsMail && sendsMail() && email !== null && `by mail to ${email}`,
  ].filter((way) => way !== false)
  const lacks = [
    wantsWebhook && !hasWebhook && (url === null ? "There is no webhook yet." : "The webhook is disabled."),
    wantsMail && !sendsMail() && "This service sends no mail.",
    wantsMail && email === null && "Your account has no e-mail address.",
    notify === "none" && "You chose to get none.",
  ].filter((what) => what !== false)
  const first = goes.length > 0 ? `Notices go ${goes.join(" and ")}.` : "Notices are sent nowhere."
  return [first, ...lacks].join(" ")
}

const eventTexts: Readonly<Record<string, string>> = {
  "credits.exhausted": "all credits are used",
  "key.expiring": "a key expires in 7 days, and again in 1 day",
  "key.created": "a key is created",
  "key.revoked": "a key is revoked",
  "month.renewed": "a new credit month begins",
}

/** The events about which the account gets notices, in words. */
function whatIsTold(events: readonly string[]): string {
  const all = [
    "80 % and 95 % of the month’s credits are used",
    ...events.map((event) => eventTexts[event] ?? event),
  ]
  return `You are told when ${all.join("; when ")}.`
}

/** Chooses how the account gets its notices. */
function ChooseNotices({ account }: { readonly account: Account }) {
  if (!mayChoose(account)) return null
  const choices: readonly (readonly [Account["notify"], string])[] = [
    ["mail", `By mail to ${account.email}`],
    ["webhook", "To the webhook"],
    ["both", "By mail and to the webhook"],
    ["none", "Not at all"],
  ]
  const hint = "By mail you are also told before a key expires. Each mail has an unsubscribe link."
  return (
    <FormButton
      operation="notices.choose"
      label="Choose how"
      title="How you get notices"
      given={{ id: account.id }}
      values={account}
      fields={{ notify: { label: "Send notices", choices, hint } }}
      done="Saved."
    />
  )
}
