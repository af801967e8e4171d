import { send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import type { Notice } from "../../client/types.ts"
import { ActionButton } from "../../kit/action-button.tsx"

interface ResendProps {
  readonly notice: Notice
  done(): void
}

/** Sends a notice again, unless it is going to be sent anyway. */
export function Resend({ notice: { id, state }, done }: ResendProps) {
  if (state === "pending" || !may("notices.resend")) return null
  return (
    <ActionButton run={(idempotencyKey) => send("notices.resend", { id }, { idempotencyKey })} done={done}>
      Send again<span class="hidden"> {id}</span>
    </ActionButton>
  )
}
