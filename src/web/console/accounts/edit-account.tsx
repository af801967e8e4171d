import { useState } from "preact/hooks"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { SelectField, TextField } from "../../kit/field.tsx"
import { FormDialog } from "../../kit/form.tsx"

export interface AccountWindowProps {
  readonly account: Account
  close(): void
  done(account: Account): void
}

/** Changes the name, the plan and the external id of an account. */
export function EditAccount({ account, close, done }: AccountWindowProps) {
  const plans = useRead(may("plans.list") ? "plans.list" : null, {})
  // The version that the window shows: saving is refused if someone else changes it meanwhile.
  const [ifVersion] = useState(account.version)
  const names = new Set([account.plan, ...(plans.data?.data.map(({ name }) => name) ?? [])])
  return (
    <FormDialog
      title="Edit account"
      close={close}
      submit="Save"
      required={{ name: "Type a name." }}
      operation="accounts.update"
      input={(values) => ({
        id: account.id,
        name: values.text("name"),
        plan: values.text("plan"),
        external_id: values.text("external_id") || null,
      })}
      ifVersion={ifVersion}
      done={done}
    >
      <TextField name="name" label="Name" required value={account.name} />
      <SelectField
        name="plan"
        label="Plan"
        required
        value={account.plan}
        choices={[...names].map((name) => [name, name])}
        hint="It takes effect with the next call. What was used this month stays used."
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
