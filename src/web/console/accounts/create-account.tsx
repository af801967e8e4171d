import type { Account } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { Dialog } from "../../kit/dialog.tsx"
import { SelectField, TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"

interface CreateAccountProps {
  readonly plans: readonly string[]
  close(): void
  done(account: Account): void
}

export function CreateAccount({ plans, close, done }: CreateAccountProps) {
  return (
    <Dialog title="Create account" close={close}>
      <Form
        submit="Create account"
        required={{ name: "Type a name." }}
        cancel={close}
        send={(values, idempotencyKey) =>
          send(
            "accounts.create",
            {
              name: values.text("name"),
              plan: values.text("plan"),
              ...(values.text("external_id") !== "" && { external_id: values.text("external_id") }),
            },
            { idempotencyKey },
          )
        }
        done={done}
      >
        <TextField name="name" label="Name" required hint="As you know the customer." />
        <SelectField name="plan" label="Plan" required choices={plans.map((plan) => [plan, plan])} />
        <TextField
          name="external_id"
          label="External id"
          hint="Your own id of the customer, such as in your billing system."
        />
      </Form>
    </Dialog>
  )
}
