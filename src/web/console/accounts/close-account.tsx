import type { Account } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { FormDialog } from "../../kit/form.tsx"
import type { AccountWindowProps } from "./edit-account.tsx"

/** Asks before an account is closed. */
export function CloseAccount({ account, close, done }: AccountWindowProps) {
  return (
    <FormDialog
      title={`Close ${account.name}?`}
      close={close}
      submit="Close account"
      danger
      operation="accounts.close"
      input={() => ({ id: account.id })}
      done={done}
    >
      <p>Its keys are refused from now on. You can reopen it later; keys, credits and usage are kept.</p>
    </FormDialog>
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
