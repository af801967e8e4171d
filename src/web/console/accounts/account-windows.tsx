/** The windows that change an account, or make one. */
import { useState } from "preact/hooks"
import type { Account, AnswerOf } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { CheckField, CheckGroup, SelectField, TextField } from "../../kit/field.tsx"
import { FormDialog } from "../../kit/form.tsx"
import { formatNumber } from "../../kit/text.tsx"
import { ShownOnce } from "../../shared/shown-once.tsx"

/** How an account gets notices. */
export const notifyChoices = [
  ["webhook", "By webhook"],
  ["mail", "By mail"],
  ["both", "By webhook and mail"],
  ["none", "Not at all"],
] as const

interface AccountWindowProps {
  readonly account: Account
  close(): void
  done(account: Account): void
}

/** Changes the fields of an account. */
export function EditAccount({ account, close, done }: AccountWindowProps) {
  const plans = useRead(may("plans.list") ? "plans.list" : null, {})
  const health = useRead(may("health.detail") ? "health.detail" : null, {})
  const isMailOff = health.data?.mail.state === "off"
  // The version that the window shows: saving is refused if someone else changes it meanwhile.
  const [ifVersion] = useState(account.version)
  const names = new Set([account.plan, ...(plans.data?.data.map(({ name }) => name) ?? [])])
  return (
    <FormDialog
      title="Edit account"
      close={close}
      submit="Save"
      required={accountRequired}
      operation="accounts.update"
      input={(values) => ({
        id: account.id,
        name: values.text("name"),
        plan: values.text("plan"),
        email: values.text("email") || null,
        notify: notifyChoices.find(([value]) => value === values.text("notify"))?.[0] ?? account.notify,
        external_id: values.text("external_id") || null,
      })}
      ifVersion={ifVersion}
      done={done}
    >
      <TextField name="name" label="Name" required value={account.name} />
      <PlanField
        plans={[...names]}
        value={account.plan}
        hint="It takes effect with the next call. What was used this month stays used."
      />
      <TextField
        name="email"
        label="E-mail"
        type="email"
        hint="Whoever reads mail to it can sign in to the portal of the account."
        value={account.email ?? ""}
      />
      <SelectField
        name="notify"
        label="Notices"
        required
        value={account.notify}
        choices={notifyChoices}
        hint={
          isMailOff
            ? "Mail is off, since the service was started without --smtp: notices by mail are not sent."
            : "That credits run low, that keys end, and events that are chosen for the account. By mail needs an e-mail address."
        }
      />
      <TextField
        name="external_id"
        label="External id"
        hint="Your own id of the customer."
        value={account.external_id ?? ""}
      />
    </FormDialog>
  )
}

const accountRequired = { name: "Type a name.", plan: "Type the name of a plan." }

interface PlanFieldProps {
  readonly plans: readonly string[]
  readonly value?: string
  readonly hint?: string
}

/** The plan of an account: a list, or a line to type into if the user may not list the plans. */
export function PlanField({ plans, value, hint }: PlanFieldProps) {
  const field = { name: "plan", label: "Plan", required: true, ...(value && { value }) }
  if (may("plans.list")) {
    return <SelectField {...field} hint={hint} choices={plans.map((plan) => [plan, plan])} />
  }
  return <TextField {...field} hint={hint ?? "Its name, such as free."} />
}

interface CreateAccountProps {
  readonly plans: readonly string[]
  close(): void
  done(account: Account): void
}

export function CreateAccount({ plans, close, done }: CreateAccountProps) {
  return (
    <FormDialog
      title="Create account"
      close={close}
      submit="Create account"
      required={accountRequired}
      operation="accounts.create"
      input={(values) => ({
        name: values.text("name"),
        plan: values.text("plan"),
        ...(values.text("email") !== "" && { email: values.text("email") }),
        ...(values.text("external_id") !== "" && { external_id: values.text("external_id") }),
      })}
      done={done}
    >
      <TextField name="name" label="Name" required hint="As you know the customer." />
      <PlanField plans={plans} />
      <TextField
        name="email"
        label="E-mail"
        type="email"
        hint="Whoever reads mail to it can sign in to the portal of the account."
      />
      <TextField
        name="external_id"
        label="External id"
        hint="Your own id of the customer, such as in your billing system."
      />
    </FormDialog>
  )
}

/** Adds bonus credits. */
export function GrantCredits({ account, close, done }: AccountWindowProps) {
  return (
    <FormDialog
      title={`Grant credits to ${account.name}`}
      close={close}
      submit="Grant credits"
      required={{ credits: "Type how many credits to add, such as 500." }}
      numbers={["credits"]}
      operation="credits.grant"
      input={(values) => ({ id: account.id, credits: Number(values.text("credits")) })}
      done={done}
    >
      <p class="muted">
        Bonus credits do not expire, and are used when those of the month are gone. It has{" "}
        {formatNumber(account.bonus)} now.
      </p>
      <TextField name="credits" label="Credits" type="number" required />
    </FormDialog>
  )
}

/** Asks before an account is closed. */
export function CloseAccount({ account, close, done }: AccountWindowProps) {
  return (
    <FormDialog
      title={`Close ${account.name}?`}
      close={close}
      submit="Close account"
      danger
      operation="accounts.close"
      input={() => ({ id: account.id })}
      done={done}
    >
      <p>Its keys are refused from now on. You can reopen it later; keys, credits and usage are kept.</p>
    </FormDialog>
  )
}

interface ReopenButtonProps {
  readonly account: Account
  done(account: Account): void
}

export function ReopenButton({ account, done }: ReopenButtonProps) {
  return (
    <ActionButton
      kind="primary"
      run={(idempotencyKey) => send("accounts.reopen", { id: account.id }, { idempotencyKey })}
      done={done}
    >
      Reopen
    </ActionButton>
  )
}

interface PortalLinkProps {
  readonly account: Account
  close(): void
}

/** Makes a link with which the customer signs in to the portal once. */
export function PortalLink({ account: { id, name }, close }: PortalLinkProps) {
  const [made, setMade] = useState<AnswerOf<"portal.link"> | null>(null)
  if (made?.url) {
    return (
      <ShownOnce title="Portal link" label="Link" text={made.url} done={close}>
        Send it to the customer. It works once, for 15 minutes, and is not shown again.
      </ShownOnce>
    )
  }
  return (
    <FormDialog
      title={`Portal link for ${name}`}
      close={close}
      submit="Make a link"
      operation="portal.link"
      input={() => ({ id })}
      done={setMade}
    >
      <p class="muted">
        The link signs its reader in to the portal as this customer for a day, to see usage and manage keys
        and the webhook.
      </p>
    </FormDialog>
  )
}

/** The events of `accounts.update`, in words. */
export const events = [
  ["credits.exhausted", "All credits are used up"],
  ["key.expiring", "A key expires in 7 days, and again in 1 day"],
  ["key.created", "A key was created"],
  ["key.revoked", "A key was revoked"],
  ["month.renewed", "A new credit month has begun"],
] as const

export function ChooseEvents({ account, close, done }: AccountWindowProps) {
  const [ifVersion] = useState(account.version)
  return (
    <FormDialog
      title="Events for the webhook"
      close={close}
      submit="Save"
      operation="accounts.update"
      input={(values) => ({ id: account.id, events: values.list("events") })}
      ifVersion={ifVersion}
      done={done}
    >
      <CheckGroup name="events" label="Besides the thresholds of credits, it gets these events">
        {events.map(([name, label]) => (
          <CheckField
            key={name}
            name="events"
            value={name}
            label={label}
            hint={<code>{name}</code>}
            checked={account.events.includes(name)}
          />
        ))}
      </CheckGroup>
    </FormDialog>
  )
}
