import { useState } from "preact/hooks"
import { write } from "../../client/request.ts"
import type { CreatedKey } from "../../client/types.ts"
import { Dialog } from "../../kit/dialog.tsx"
import { CheckField, CheckGroup, LinesField, TextField } from "../../kit/field.tsx"
import { Form, type FormValues } from "../../kit/form.tsx"
import { NewKeyText } from "../../shared/new-key-text.tsx"
import { useCatalog } from "../playground/catalog.ts"

interface CreateOwnKeyProps {
  readonly account: string
  close(): void
  /** Called when the new text was shown and the window closes. */
  done(): void
}

/** Asks what a key is for and what it may do, makes it, and shows its text, which cannot be read again. */
export function CreateOwnKey({ account, close, done }: CreateOwnKeyProps) {
  const catalog = useCatalog()
  const [created, setCreated] = useState<CreatedKey | null>(null)
  if (created) return <NewKeyText title="Key created" text={created.key} done={done} />
  return (
    <Dialog title="Create key" close={close}>
      <Form
        submit="Create key"
        numbers={["rate_limit"]}
        cancel={close}
        send={(values, idempotencyKey) =>
          write<CreatedKey>("POST", "/keys", { account, ...readSettings(values) }, { idempotencyKey })
        }
        done={setCreated}
      >
        <TextField name="name" label="Name" hint="What the key is for, such as production." />
        <TextField
          name="expires"
          label="Expires"
          hint="A day such as 2027-01-31, or a time from now such as 30d. Empty for never."
        />
        <details class="more">
          <summary>Limits</summary>
          <div class="more-fields">
            <TextField
              name="rate_limit"
              label="Calls a minute"
              type="number"
              hint="For this key alone. Empty for no limit besides that of the plan."
            />
            <LinesField
              name="allow_ips"
              label="Only from these addresses"
              hint="One network a line, such as 192.0.2.0/24. Empty for any."
            />
            {catalog.data && (
              <CheckGroup name="allow_apis" label="Only these APIs" hint="With none ticked it may call all.">
                <div class="check-columns">
                  {catalog.data.map(({ id, title }) => (
                    <CheckField key={id} name="allow_apis" value={id} label={title} />
                  ))}
                </div>
              </CheckGroup>
            )}
          </div>
        </details>
      </Form>
    </Dialog>
  )
}

/** What was filled in. What was not is left out, so that it stays as a new key has it. */
function readSettings(values: FormValues) {
  const expires = values.text("expires")
  const rate = values.number("rate_limit")
  const apis = values.list("allow_apis")
  const addresses = values.lines("allow_ips")
  return {
    name: values.text("name"),
    ...(expires !== "" && { expires }),
    ...(rate !== null && { rate_limit: rate }),
    ...(apis.length > 0 && { allow_apis: apis }),
    ...(addresses.length > 0 && { allow_ips: addresses }),
  }
}
