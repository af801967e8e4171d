import { useState } from "preact/hooks"
import { send } from "../../client/request.ts"
import { useRead } from "../../client/use-read.ts"
import { Dialog } from "../../kit/dialog.tsx"
import { Form } from "../../kit/form.tsx"
import { Ready } from "../../kit/states.tsx"
import type { ChangeKeyProps } from "../../shared/change-key.tsx"
import { KeyFields, readKeyFields } from "../../shared/key-fields.tsx"

export function EditKey({ value, close, done }: ChangeKeyProps) {
  // The version that the window shows: saving is refused if someone else changes it meanwhile.
  const [ifVersion] = useState(value.version)
  const plans = useRead("plans.list", {})
  return (
    <Dialog title="Edit key" close={close}>
      <Ready reading={plans} what="the APIs">
        {({ prices }) => (
          <Form
            submit="Save"
            numbers={["rate_limit"]}
            cancel={close}
            send={(values, idempotencyKey) => {
              const { expires, ...others } = readKeyFields(values)
              // An unchanged expiry is not sent: one in the past would be refused.
              const changes = expires === value.expires ? others : { ...others, expires }
              return send("keys.update", { id: value.id, ...changes }, { idempotencyKey, ifVersion })
            }}
            done={done}
          >
            <KeyFields apis={Object.keys(prices).map((api) => [api, api])} value={value} />
          </Form>
        )}
      </Ready>
    </Dialog>
  )
}
