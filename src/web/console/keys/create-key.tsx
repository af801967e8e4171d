import { useState } from "preact/hooks"
import { write } from "../../client/request.ts"
import type { CreatedKey, PlanList } from "../../client/types.ts"
import { useRead } from "../../client/use-read.ts"
import { Dialog } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { NewKeyText } from "../../shared/new-key-text.tsx"
import { KeyFields, readKeyFields } from "./key-fields.tsx"

interface CreateKeyProps {
  /** The account whose key it is; null asks for it. */
  readonly account: string | null
  close(): void
  /** Called when the new text was shown and the window closes. */
  done(): void
}

/** Asks what a key may do, makes it, and shows its text, which cannot be read again. */
export function CreateKey({ account, close, done }: CreateKeyProps) {
  const plans = useRead<PlanList>("/plans")
  const [created, setCreated] = useState<CreatedKey | null>(null)
  if (created) return <NewKeyText title="Key created" text={created.key} done={done} />
  return (
    <Dialog title="Create key" close={close}>
      <Form
        submit="Create key"
        required={account === null ? { account: "Type the id of the account; it starts with acc_." } : {}}
        numbers={["rate_limit"]}
        cancel={close}
        send={(values, idempotencyKey) =>
          write<CreatedKey>(
            "POST",
            "/keys",
            { account: account ?? values.text("account"), ...readKeyFields(values) },
            { idempotencyKey },
          )
        }
        done={setCreated}
      >
        {account === null && (
          <TextField name="account" label="Account" required hint="Its id, such as acc_1234567890abcdef." />
        )}
        <KeyFields apis={Object.keys(plans.data?.prices ?? {})} />
      </Form>
    </Dialog>
  )
}
