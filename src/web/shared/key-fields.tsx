import { useState } from "preact/hooks"
import type { AnswerOf, Key } from "../client/operations.ts"
import { CheckField, CheckGroup, LinesField, TextField } from "../kit/field.tsx"
import type { FormValues } from "../kit/form.tsx"
import { FormDialog } from "../kit/form.tsx"
import { NewKeyText } from "./shown-once.tsx"

/** An API to choose, and what it is called. */
export type ApiChoice = readonly [id: string, label: string]

interface KeyFieldsProps {
  /** All APIs. */
  readonly apis: readonly ApiChoice[]
  /** The key that is changed; none for a new one. */
  readonly value?: Key
  /** Whether the limits are closed at first. */
  readonly isBrief?: boolean
}

/** The settings of a key. */
export function KeyFields({ apis, value, isBrief = false }: KeyFieldsProps) {
  return (
    <>
      <TextField
        name="name"
        label="Name"
        hint="What the key is for, such as production."
        value={value?.name ?? ""}
      />
      <TextField
        name="expires"
        label="Expires"
        hint="A day such as 2027-01-31, or a time from now such as 30d. Empty for never."
        value={value?.expires ?? ""}
      />
      {isBrief ? (
        <details class="more">
          <summary>Limits</summary>
          <div class="more-fields">
            <Limits apis={apis} value={value} />
          </div>
        </details>
      ) : (
        <Limits apis={apis} value={value} />
      )}
    </>
  )
}

interface LimitsProps {
  readonly apis: readonly ApiChoice[]
  readonly value: Key | undefined
}

function Limits({ apis, value }: LimitsProps) {
  return (
    <>
      <TextField
        name="rate_limit"
        label="Calls a minute"
        type="number"
        hint="For this key alone. Empty for no limit besides that of the plan."
        value={value?.rate_limit === null || value === undefined ? "" : String(value.rate_limit)}
      />
      {apis.length > 0 && (
        <CheckGroup name="allow_apis" label="Only these APIs" hint="Tick none to allow all.">
          <div class="check-columns">
            {apis.map(([api, label]) => (
              <CheckField
                key={api}
                name="allow_apis"
                value={api}
                label={label}
                checked={value?.allow_apis?.includes(api) ?? false}
              />
            ))}
          </div>
        </CheckGroup>
      )}
      <LinesField
        name="allow_ips"
        label="Only from these addresses"
        hint="One network a line, such as 192.0.2.0/24. Empty for any."
        value={value?.allow_ips?.join("\n") ?? ""}
      />
    </>
  )
}

/** The values of the fields, as the operations take them. */
export function readKeyFields(values: FormValues) {
  const expires = values.text("expires")
  return {
    name: values.text("name"),
    expires: expires === "" ? null : expires,
    rate_limit: values.number("rate_limit"),
    allow_apis: values.list("allow_apis"),
    allow_ips: values.lines("allow_ips"),
  }
}

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
