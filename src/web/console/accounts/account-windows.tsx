/** The windows that change an account, or make one, and buttons that open them. */
import { go } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { openWindow, say } from "../../kit/dialog.tsx"
import { FormButton } from "../../kit/form-dialog.tsx"
import type { FieldsOf } from "../../kit/form-fields.tsx"
import { formatNumber } from "../../kit/text.tsx"
import { ShownOnce } from "../../shared/shown-once.tsx"
import { eventChoices, notifyChoices, usePlanChoices } from "../choices.tsx"

/** The account to change. */
export interface AccountWindowProps {
  readonly account: Account
  /** Shows the account after the change. */
  then(account: Account): void
}

/** Changes the fields of an account. */
export function EditAccount({ account, then }: AccountWindowProps) {
  return (
    <FormButton
      operation="accounts.update"
      label="Edit"
      title="Edit account"
      given={{ id: account.id }}
      values={account}
      fields={useChangeFields}
      done="Account saved."
      then={then}
    />
  )
}

function useChangeFields(): FieldsOf<"accounts.update"> {
  const health = useRead(may("health.detail") ? "health.detail" : null, {})
  return {
    name: { hint: "" },
    plan: {
      choices: usePlanChoices(),
      hint: "It takes effect with the next call. What was used this month stays used.",
    },
    email: { hint: mailHint },
    notify: {
      choices: notifyChoices,
      hint:
        health.data?.mail.state === "off"
          ? "Mail is off, since the service was started without --smtp: notices by mail are not sent."
          : "That credits run low, that keys end, and events that are chosen for the account. Mail needs an e-mail address.",
    },
    external_id: { hint: "Your own id of the customer." },
  }
}

const mailHint = "Whoever reads mail to it can sign in to the portal of the account."

export function CreateAccount() {
  return (
    <FormButton
      operation="accounts.create"
      label="Create account"
      kind="primary"
      icon="plus"
      fields={() => ({
        name: { hint: "As you know the customer." },
        plan: { choices: usePlanChoices(), hint: may("plans.list") ? "" : "Its name, such as free." },
        email: { hint: mailHint },
        external_id: {},
      })}
      done={({ id, name }) => {
        say(`Account ${name} created.`)
        go(`/accounts/${id}`)
      }}
    />
  )
}

/** The fields of an adjustment, for one account or several. */
export const adjustmentFields: FieldsOf<"credits.adjust"> = {
  credits: { hint: "Negative to take some, such as -500." },
  reason: { hint: "The customer may read it." },
  reference: { hint: "Such as the number of a payment. Each counts once in an account." },
}

/** Adds credits to the bonus of an account, or takes some. */
export function AdjustCredits({ account: { id, name, bonus } }: Pick<AccountWindowProps, "account">) {
  return (
    <FormButton
      operation="credits.adjust"
      label="Adjust credits"
      kind="primary"
      title={`Adjust credits of ${name}`}
      given={{ id }}
      fields={adjustmentFields}
      done="Credits adjusted."
    >
      <p class="muted">
        Bonus credits do not expire, and are used when those of the month are gone. The bonus is{" "}
        {formatNumber(bonus)} credits now.
      </p>
    </FormButton>
  )
}

/** Adds bonus credits. */
export function GrantCredits({ account: { id, name, bonus }, then }: AccountWindowProps) {
  return (
    <FormButton
      operation="credits.grant"
      label="Grant credits"
      kind="primary"
      title={`Grant credits to ${name}`}
      given={{ id }}
      fields={{ credits: { hint: "" } }}
      done="Credits granted."
      then={then}
    >
      <p class="muted">
        Bonus credits do not expire, and are used when those of the month are gone. It has{" "}
        {formatNumber(bonus)} now.
      </p>
    </FormButton>
  )
}

/** Asks before an account is closed. */
export function CloseAccount({ account: { id, name }, then }: AccountWindowProps) {
  return (
    <FormButton
      operation="accounts.close"
      label="Close"
      title={`Close ${name}?`}
      submit="Close account"
      danger
      given={{ id }}
      done="Account closed."
      then={then}
    >
      <p>Its keys are refused from now on. You can reopen it later; keys, credits and usage are kept.</p>
    </FormButton>
  )
}

/** Makes a link with which the customer signs in to the portal once. */
export function PortalLink({ account: { id, name } }: Pick<AccountWindowProps, "account">) {
  return (
    <FormButton
      operation="portal.link"
      label="Portal link"
      title={`Portal link for ${name}`}
      submit="Make a link"
      given={{ id }}
      done={({ url }) =>
        openWindow(
          <ShownOnce title="Portal link" label="Link" text={url}>
            Send it to the customer. It works once, for 15 minutes, and is not shown again.
          </ShownOnce>,
        )
      }
    >
      <p class="muted">
        The link signs its reader in to the portal as this customer for a day, to see usage and manage keys
        and the webhook.
      </p>
    </FormButton>
  )
}

/** Chooses the events about which the webhook of an account is told. */
export function ChooseEvents({ account, then }: AccountWindowProps) {
  const label = "Besides the thresholds of credits, it gets these events"
  return (
    <FormButton
      operation="accounts.update"
      label="Choose events"
      title="Events for the webhook"
      given={{ id: account.id }}
      values={account}
      fields={{ events: { label, choices: eventChoices, hint: "" } }}
      done="Events saved."
      then={then}
    />
  )
}
