import { write } from "../../client/request.ts"
import { Dialog } from "../../kit/dialog.tsx"
import { Form } from "../../kit/form.tsx"
import { nameOf } from "../../shared/key-state.tsx"
import type { KeyWindowProps } from "../../shared/key-window.ts"

/** Asks before a key is revoked. */
export function RevokeOwnKey({ value, close, done }: KeyWindowProps) {
  return (
    <Dialog title={`Revoke ${nameOf(value)}?`} close={close}>
      <Form
        submit="Revoke key"
        danger
        cancel={close}
        send={(_, idempotencyKey) =>
          write("POST", `/keys/${encodeURIComponent(value.id)}/revoke`, {}, { idempotencyKey })
        }
        done={done}
      >
        <p>
          Calls with the key <code>{value.prefix}…</code> are refused from now on. This cannot be taken back.
          If you signed in with this very key, you are signed out.
        </p>
        <p>To replace it without a break, rotate it instead: the old text can go on working for a while.</p>
      </Form>
    </Dialog>
  )
}
