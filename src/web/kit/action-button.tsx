import { useRef, useState } from "preact/hooks"
import { randomId } from "../client/browser.ts"
import { Problem, Unreachable } from "../client/problem.ts"
import { Button, type ButtonProps } from "./button.tsx"
import { Dialog } from "./dialog.tsx"
import { ErrorBox } from "./states.tsx"

interface ActionButtonProps<T> extends Pick<ButtonProps, "children" | "icon" | "kind"> {
  /** The key is the same when it is tried again after the service was gone. */
  run(idempotencyKey: string): Promise<T>
  done(answer: T): void
}

/** A button that changes something at once. An error is shown in a window with a button to try again. */
export function ActionButton<T>({ children, icon, kind, run, done }: ActionButtonProps<T>) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Problem | Unreachable | null>(null)
  const idempotencyKey = useRef("")

  async function act(): Promise<void> {
    setBusy(true)
    setError(null)
    idempotencyKey.current ||= randomId()
    try {
      const answer = await run(idempotencyKey.current)
      idempotencyKey.current = ""
      done(answer)
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.status < 500) idempotencyKey.current = ""
      if (thrown instanceof Problem || thrown instanceof Unreachable) setError(thrown)
      else throw thrown
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      <Button onClick={act} isBusy={isBusy} {...(icon && { icon })} {...(kind && { kind })}>
        {children}
      </Button>
      {error && (
        <Dialog title="That did not work" close={() => setError(null)}>
          <ErrorBox error={error} onRetry={act} />
        </Dialog>
      )}
    </>
  )
}
