import type { Account, Webhook } from "../../client/operations.ts"
import { may, session } from "../../client/session.ts"
import { FormButton } from "../../kit/form-dialog.tsx"

type Choice = Account["notify"]
type Chosen = Pick<Account, "notify" | "email">

const sendsMail = () => session.value?.account?.mail === true

/** Whether the customer can choose: without mail there is only the webhook. */
function mayChoose({ email }: Chosen): boolean {
  return may("notices.choose") && sendsMail() && email !== null
}

/** Says truly where notices go, and what is missing. */
export function whereNoticesGo({ notify, email }: Chosen, { url, disabled }: Webhook): string {
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
export function whatIsTold(events: readonly string[]): string {
  const all = [
    "80 % and 95 % of the month’s credits are used",
    ...events.map((event) => eventTexts[event] ?? event),
  ]
  return `You are told when ${all.join("; when ")}.`
}

/** Chooses how the account gets its notices. */
export function ChooseNotices({ account }: { readonly account: Account }) {
  if (!mayChoose(account)) return null
  const choices: readonly (readonly [Choice, string])[] = [
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
