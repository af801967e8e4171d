import { useRef, useState } from "preact/hooks"
import { randomId } from "../client/browser.ts"
import type { AnswerOf, InputOf, OperationId, SendId } from "../client/operations.ts"
import { Problem, send, Unreachable } from "../client/request.ts"
import { may } from "../client/session.ts"
import { readAgain } from "../client/use-read.ts"
import {
  Button,
  type ButtonProps,
  closeWindow,
  Dialog,
  type DoneProps,
  tellDone,
  WindowButton,
} from "./dialog.tsx"
import { Form, type FormProps } from "./form.tsx"
import { type FieldsOf, FormFields, fieldsOf, readFields, requiredOf } from "./form-fields.tsx"
import type { IconName } from "./icon.tsx"
import { ErrorBox } from "./page.tsx"

interface FormDialogProps<Id extends SendId>
  extends Pick<FormProps<never>, "submit" | "danger" | "children">,
    DoneProps<AnswerOf<Id>> {
  readonly title: string
  readonly operation: Id
  /** A function of them may use hooks, such as for choices that are read when the window opens. */
  readonly fields?: FieldsOf<Id> | (() => FieldsOf<Id>)
  /** Names of the fields in a part below the others that is closed at first, and its title. */
  readonly more?: { readonly title: string; readonly names: readonly string[] }
  /** Parameters that are not asked for. */
  readonly given?: Partial<InputOf<Id>>
  /** The thing that is changed. A version in it is the one to change: another is refused. */
  readonly values?: { readonly version?: number; readonly [name: string]: unknown }
}

/** A window with the form of an operation. Its fields stand below `children`. */
function FormDialog<Id extends SendId>(props: FormDialogProps<Id>) {
  const { title, operation, fields = {}, more, given, values = {}, done, then, children, ...form } = props
  const all = fieldsOf(operation, typeof fields === "function" ? fields() : fields, values)
  const closed = all.filter(({ name }) => more?.names.includes(name))
  return (
    <Dialog title={title}>
      <Form
        {...form}
        required={requiredOf(all)}
        cancel={closeWindow}
        send={(typed, idempotencyKey) =>
          send(operation, { ...given, ...readFields(all, typed) } as InputOf<Id>, {
            idempotencyKey,
            ifVersion: values.version,
          })
        }
        done={(answer) => {
          closeWindow()
          readAgain()
          tellDone({ done, then }, answer)
        }}
      >
        {children}
        <FormFields fields={all.filter((field) => !closed.includes(field))} />
        {more && (
          <details class="more">
            <summary>{more.title}</summary>
            <div class="more-fields stack gap-4">
              <FormFields fields={closed} />
            </div>
          </details>
        )}
      </Form>
    </Dialog>
  )
}

interface FormButtonProps<Id extends SendId>
  extends Omit<FormDialogProps<Id>, "title" | "submit">,
    Partial<Pick<FormDialogProps<Id>, "title" | "submit">> {
  /** On the button. It is also the title, with the name of the thing, and on the button of the form unless that is "Save". */
  readonly label: string
  /** The thing that the button is for, where others have the same label: screen readers get it too. */
  readonly of?: string | undefined
  readonly kind?: ButtonProps["kind"] | undefined
  readonly icon?: IconName
}

/**
 * A button that opens the form of an operation; absent for a user who may not run it.
 * @example
 * <FormButton
 *   operation="accounts.update"
 *   label="Edit"
 *   title="Edit account"
 *   given={{ id: account.id }}
 *   values={account}
 *   fields={{ name: {}, email: {}, notify: { choices: notifyChoices } }}
 *   done="Account saved."
 * />
 */
export function FormButton<Id extends SendId>({ label, of, kind, icon, ...form }: FormButtonProps<Id>) {
  const name = of ? `${label} ${of}` : label
  const title = form.danger ? `${name}?` : name
  const submit = form.values ? "Save" : label
  return (
    <WindowButton
      operation={form.operation}
      kind={kind ?? (form.danger ? "risky" : "plain")}
      icon={icon}
      label={of && name}
      opens={<FormDialog title={title} submit={submit} {...form} />}
    >
      {label}
    </WindowButton>
  )
}

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
