import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { randomId } from "../client/browser.ts"
import { Problem, Unreachable } from "../client/request.ts"
import { Button } from "./dialog.tsx"
import { type FieldErrors, FieldErrorsContext } from "./field.tsx"

/** The form's values, by field. */
export type FormValues = ReturnType<typeof toValues>

/** The properties of a {@link Form}. */
export interface FormProps<T> {
  readonly submit: string
  readonly children?: ComponentChildren
  /** Fields that must be filled in, by name, and what is asked for: `{ name: "Type a name." }`. */
  readonly required?: FieldErrors
  /** The key is the same when the form is sent again after the service was gone. */
  send(values: FormValues, idempotencyKey: string): Promise<T>
  done?(answer: T): void
  readonly cancel?: () => void
  readonly danger?: boolean
  /** The field at which a 401 is shown; empty for above the fields. By default the shell asks the user to sign in. */
  readonly on401?: string
  /** The label of the button that leads back; "Cancel" by default. */
  readonly cancelLabel?: string
}

/**
 * A form. A refusal is shown at the field that it names, or above the fields. Nothing that was typed is lost when sending fails.
 */
export function Form<T>(props: FormProps<T>) {
  const { submit, children, required = {}, done, cancel, danger, on401, cancelLabel = "Cancel" } = props
  const form = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [problem, setProblem] = useState<Problem | Unreachable | null>(null)
  const [isBusy, setBusy] = useState(false)
  const idempotencyKey = useRef("")

  // The first wrong field gets the focus, so that its message is read. It is found by its name: it may be marked a moment later.
  useLayoutEffect(() => {
    const fields = [...(form.current?.elements ?? [])]
    const wrong = fields.find((field) => (field.getAttribute("name") ?? "") in errors)
    if (!(wrong instanceof HTMLElement)) return
    // Nothing in a closed part can have the focus.
    wrong.closest("details")?.setAttribute("open", "")
    wrong.focus()
  }, [errors])

  async function submitted(event: Event): Promise<void> {
    event.preventDefault()
    if (!form.current || isBusy) return
    const data = new FormData(form.current)
    const wrong = mistakesIn(form.current, data, required)
    setErrors(wrong)
    setProblem(null)
    if (Object.keys(wrong).length > 0) return
    setBusy(true)
    idempotencyKey.current ||= randomId()
    try {
      const answer = await props.send(toValues(data), idempotencyKey.current)
      idempotencyKey.current = ""
      setBusy(false)
      // Do nothing if the user has left the screen.
      if (form.current) done?.(answer)
    } catch (thrown) {
      setBusy(false)
      if (thrown instanceof Unreachable) setProblem(thrown)
      else if (thrown instanceof Problem) refused(thrown)
      else throw thrown
    }
  }

  function refused(refusal: Problem): void {
    // A changed input is a new request.
    if (refusal.status < 500) idempotencyKey.current = ""
    const isSignIn = refusal.status === 401 && on401 !== undefined
    const parameter = isSignIn ? on401 : refusal.parameter
    if (parameter !== null && form.current?.elements.namedItem(parameter)) {
      setErrors({ [parameter]: atField(refusal.message) })
      return
    }
    if (refusal.status !== 401 || isSignIn) setProblem(refusal)
  }

  return (
    <FieldErrorsContext.Provider value={errors}>
      <form class="form stack gap-4" ref={form} onSubmit={submitted} noValidate aria-busy={isBusy}>
        {problem && (
          <div class="error-box notice bad stack" role="alert">
            {problem.message}
            {problem instanceof Unreachable &&
              " Nothing that you typed is lost. Send it again when the service is back."}
          </div>
        )}
        {children}
        <div class="form-buttons row">
          <Button type="submit" kind={danger ? "danger" : "primary"} disabled={isBusy}>
            {problem instanceof Unreachable ? "Try again" : submit}
          </Button>
          {cancel && (
            <Button kind="quiet" onClick={cancel} disabled={isBusy}>
              {cancelLabel}
            </Button>
          )}
        </div>
      </form>
    </FieldErrorsContext.Provider>
  )
}

/** The message of a refusal without the name of its parameter, which is the field's label. */
function atField(message: string): string {
  const rest = message
    .replace(/^The '\w+' parameter (?=must)/, "")
    .replace(/,? or null(?=[.,]|$)|; null for never(?=\.|$)/, "")
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

function mistakesIn(form: HTMLFormElement, data: FormData, required: FieldErrors): FieldErrors {
  const missing = Object.entries(required).filter(([name]) => textIn(data, name) === "")
  const numbers = form.querySelectorAll<HTMLInputElement>("[inputmode=numeric]")
  const odd = [...numbers].filter(({ value }) => !/^-?\d*$/.test(value.trim()))
  return {
    ...Object.fromEntries(odd.map(({ name }) => [name, "Type a whole number, such as 500."])),
    ...Object.fromEntries(missing),
  }
}

function toValues(data: FormData) {
  return {
    /** Without white space around it; empty when nothing was typed. */
    text: (name: string) => textIn(data, name),
    /** Null when nothing was typed. */
    number: (name: string) => (textIn(data, name) === "" ? null : Number(textIn(data, name))),
    /** The values of the boxes of this name that are ticked. */
    list: (name: string) => data.getAll(name).map(String),
    /** The lines that are not empty. */
    lines: (name: string) =>
      textIn(data, name)
        .split(/[\n,]/)
        .map((line) => line.trim())
        .filter((line) => line !== ""),
    isTicked: (name: string) => data.has(name),
  }
}

function textIn(data: FormData, name: string): string {
  const value = data.get(name)
  return typeof value === "string" ? value.trim() : ""
}
