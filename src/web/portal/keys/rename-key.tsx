import { write } from "../../client/request.ts"
import type { Key } from "../../client/types.ts"
import { nameOf } from "../../console/keys/key-columns.tsx"
import { Dialog } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"

export interface KeyWindowProps {
  readonly value: Key
  close(): void
  done(): void
}

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
