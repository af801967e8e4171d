import { write } from "../../client/request.ts"
import type { Key } from "../../client/types.ts"
import { Dialog } from "../../kit/dialog.tsx"
import { Form } from "../../kit/form.tsx"
import { nameOf } from "../../shared/key-state.tsx"
import type { ChangeKeyProps } from "../../shared/key-window.ts"

/** Asks before a key is revoked. */
export function RevokeKey({ value, close, done }: ChangeKeyProps) {
  return (
    <Dialog title={`Revoke ${nameOf(value)}?`} close={close}>
      <Form
        submit="Revoke key"
        danger
        cancel={close}
        send={(_, idempotencyKey) =>
          write<Key>("POST", `/keys/${encodeURIComponent(value.id)}/revoke`, {}, { idempotencyKey })
        }
        done={done}
      >
        <p>
          Calls with the key <code>{value.prefix}…</code> are refused from now on. This cannot be taken back;
          to stop it for a while, disable it.
        </p>
      </Form>
    </Dialog>
  )
}
