import { useState } from "preact/hooks"
import type { AnswerOf } from "../client/operations.ts"
import { TextField } from "../kit/field.tsx"
import { FormDialog } from "../kit/form.tsx"
import { type ApiChoice, KeyFields, readKeyFields } from "./key-fields.tsx"
import { NewKeyText } from "./shown-once.tsx"

interface CreateKeyProps {
  /** The account that gets the key; null asks for it. */
  readonly account: string | null
  readonly apis: readonly ApiChoice[]
  /** Whether the limits are closed at first. */
  readonly isBrief?: boolean
  close(): void
  /** Called when the new text was shown and the window closes. */
  done(): void
}

/** Asks what a key may do, makes it, and shows its text, which cannot be read again. */
export function CreateKey({ account, apis, isBrief = false, close, done }: CreateKeyProps) {
  const [created, setCreated] = useState<AnswerOf<"keys.create"> | null>(null)
  if (created) return <NewKeyText title="Key created" text={created.key} done={done} />
  return (
    <FormDialog
      title="Create key"
      close={close}
      submit="Create key"
      required={account === null ? { account: "Type the id of the account; it starts with acc_." } : {}}
      numbers={["rate_limit"]}
      operation="keys.create"
      input={(values) => ({ account: account ?? values.text("account"), ...readKeyFields(values) })}
      done={setCreated}
    >
      {account === null && (
        <TextField name="account" label="Account" required hint="Its id, such as acc_1234567890abcdef." />
      )}
      <KeyFields apis={apis} isBrief={isBrief} />
    </FormDialog>
  )
}
