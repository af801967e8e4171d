import { useState } from "preact/hooks"
import { CheckField, CheckGroup } from "../../kit/field.tsx"
import { FormDialog } from "../../kit/form.tsx"
import type { AccountWindowProps } from "./edit-account.tsx"

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
