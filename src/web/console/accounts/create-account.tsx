import type { Account } from "../../client/operations.ts"
import { SelectField, TextField } from "../../kit/field.tsx"
import { FormDialog } from "../../kit/form.tsx"

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
      required={{ name: "Type a name." }}
      operation="accounts.create"
      input={(values) => ({
        name: values.text("name"),
        plan: values.text("plan"),
        ...(values.text("external_id") !== "" && { external_id: values.text("external_id") }),
      })}
      done={done}
    >
      <TextField name="name" label="Name" required hint="As you know the customer." />
      <SelectField name="plan" label="Plan" required choices={plans.map((plan) => [plan, plan])} />
      <TextField
        name="external_id"
        label="External id"
        hint="Your own id of the customer, such as in your billing system."
      />
    </FormDialog>
  )
}
