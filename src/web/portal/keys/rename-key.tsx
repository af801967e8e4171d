import { write } from "../../client/request.ts"
import type { Key } from "../../client/types.ts"
import { Dialog } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { nameOf } from "../../shared/key-state.tsx"
import type { KeyWindowProps } from "../../shared/key-window.ts"

/** Gives a key another name. */
export function RenameKey({ value, close, done }: KeyWindowProps) {
  return (
    <Dialog title={`Rename ${nameOf(value)}`} close={close}>
      <Form
        submit="Save"
        cancel={close}
        send={(values, idempotencyKey) =>
          write<Key>(
            "PATCH",
            `/keys/${encodeURIComponent(value.id)}`,
            { name: values.text("name") },
            { idempotencyKey, ifVersion: value.version },
          )
        }
        done={done}
      >
        <TextField name="name" label="Name" hint="What the key is for." value={value.name} />
      </Form>
    </Dialog>
  )
}
