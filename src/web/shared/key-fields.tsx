import type { Key } from "../client/operations.ts"
import { CheckField, CheckGroup, LinesField, TextField } from "../kit/field.tsx"
import type { FormValues } from "../kit/form.tsx"

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
        <CheckGroup name="allow_apis" label="Only these APIs" hint="With none ticked it may call all.">
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

/** What was typed, as the operations take it. */
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
