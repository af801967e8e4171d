import { useRef, useState } from "preact/hooks"
import { randomId } from "../client/browser.ts"
import type { AnswerOf, InputOf, OperationId } from "../client/operations.ts"
import { Problem, Unreachable } from "../client/problem.ts"
import { send } from "../client/request.ts"
import { may } from "../client/session.ts"
import { readAgain } from "../client/use-read.ts"
import { Button, type ButtonProps } from "./button.tsx"
import { Dialog } from "./dialog.tsx"
import { ErrorBox } from "./states.tsx"
import { type DoneProps, tellDone } from "./status.tsx"

interface ActionButtonProps<Id extends OperationId>
  extends Pick<ButtonProps, "children" | "icon" | "kind">,
    DoneProps<AnswerOf<Id>> {
  readonly operation: Id
  readonly input: InputOf<Id>
}

/**
 * A button that runs an operation at once; absent for a user who may not run it. An error is shown in a window with a button to
 * try again.
 */
export function ActionButton<Id extends OperationId>(props: ActionButtonProps<Id>) {
  const { operation, input, done, then, ...button } = props
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Problem | Unreachable | null>(null)
  // It is the same when the operation is tried again after the service was gone.
  const idempotencyKey = useRef("")

  async function act(): Promise<void> {
    setBusy(true)
    setError(null)
    idempotencyKey.current ||= randomId()
    try {
      const answer = await send(operation, input, { idempotencyKey: idempotencyKey.current })
      idempotencyKey.current = ""
      readAgain()
      tellDone({ done, then }, answer)
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.status < 500) idempotencyKey.current = ""
      if (thrown instanceof Problem || thrown instanceof Unreachable) setError(thrown)
      else throw thrown
    } finally {
      setBusy(false)
    }
  }

  if (!may(operation)) return null
  return (
    <>
      <Button {...button} onClick={act} isBusy={isBusy} />
      {error && (
        <Dialog title="That did not work" close={() => setError(null)}>
          <ErrorBox error={error} onRetry={act} />
        </Dialog>
      )}
    </>
  )
}

/** Reads again what the screen shows. */
export function RefreshButton() {
  return <Button onClick={readAgain}>Refresh</Button>
}
