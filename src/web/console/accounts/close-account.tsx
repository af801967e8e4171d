import type { Account } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { Dialog } from "../../kit/dialog.tsx"
import { Form } from "../../kit/form.tsx"
import type { AccountWindowProps } from "./edit-account.tsx"

/** Asks before an account is closed. */
export function CloseAccount({ account, close, done }: AccountWindowProps) {
  return (
    <Dialog title={`Close ${account.name}?`} close={close}>
      <Form
        submit="Close account"
        danger
        cancel={close}
        send={(_, idempotencyKey) => send("accounts.close", { id: account.id }, { idempotencyKey })}
        done={done}
      >
        <p>Its keys are refused from now on. You can reopen it later; keys, credits and usage are kept.</p>
      </Form>
    </Dialog>
  )
}

interface ReopenButtonProps {
  readonly account: Account
  done(account: Account): void
}

export function ReopenButton({ account, done }: ReopenButtonProps) {
  return (
    <ActionButton
      kind="primary"
      run={(idempotencyKey) => send("accounts.reopen", { id: account.id }, { idempotencyKey })}
      done={done}
    >
      Reopen
    </ActionButton>
  )
}
