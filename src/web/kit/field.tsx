import type { ComponentChildren } from "preact"
import { createContext } from "preact"
import { useContext, useId } from "preact/hooks"

/** The messages of a form's fields, by the name of the field. */
export type FieldErrors = Readonly<Record<string, string>>

export const FieldErrorsContext = createContext<FieldErrors>({})

interface FieldProps {
  /** The name of the operation's parameter, so that its refusal finds the field. */
  readonly name: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly required?: boolean
  readonly value?: string
}

interface InputProps extends FieldProps {
  readonly type?: "text" | "number" | "url" | "password" | "date"
  readonly placeholder?: string
  readonly autocomplete?: string
}

/** A line to type into, with its label, a hint and, when it is wrong, what to change. */
export function TextField({
  name,
  label,
  hint,
  required,
  value,
  type = "text",
  placeholder,
  autocomplete = "off",
}: InputProps) {
  const { id, error, attributes } = useField(name, hint)
  const isText = type === "text" || type === "url"
  return (
    <FieldFrame id={id} label={label} hint={hint} required={required} error={error}>
      <input
        {...attributes}
        name={name}
        {...inputTypes[type]}
        inputMode={type === "number" ? "numeric" : undefined}
        defaultValue={value}
        aria-required={required}
        placeholder={placeholder}
        autocomplete={autocomplete}
        spellcheck={isText ? false : undefined}
      />
    </FieldFrame>
  )
}

/** `type=number` changes with the mouse wheel and hides invalid input. */
const inputTypes = {
  text: { type: "text" },
  number: { type: "text" },
  url: { type: "url" },
  password: { type: "password" },
  date: { type: "date" },
} as const

/** Several lines to type into. */
export function LinesField({ name, label, hint, required, value, rows = 3 }: FieldProps & { rows?: number }) {
  const { id, error, attributes } = useField(name, hint)
  return (
    <FieldFrame id={id} label={label} hint={hint} required={required} error={error}>
      <textarea {...attributes} name={name} rows={rows} defaultValue={value} spellcheck={false} />
    </FieldFrame>
  )
}

interface SelectProps extends FieldProps {
  readonly choices: readonly (readonly [value: string, label: string])[]
}

/** A list to choose one value from. */
export function SelectField({ name, label, hint, required, value, choices }: SelectProps) {
  const { id, error, attributes } = useField(name, hint)
  return (
    <FieldFrame id={id} label={label} hint={hint} required={required} error={error}>
      <select {...attributes} name={name} aria-required={required}>
        {choices.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}

interface CheckProps {
  readonly name: string
  readonly label: string
  readonly hint?: ComponentChildren
  /** What the form gets when it is ticked. */
  readonly value?: string
  readonly checked?: boolean
}

/** A box to tick. Several with one name make a list. */
export function CheckField({ name, label, hint, value = "on", checked }: CheckProps) {
  const id = useId()
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        name={name}
        value={value}
        defaultChecked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

interface CheckGroupProps {
  readonly name: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly children: ComponentChildren
}

/** Boxes that belong together. */
export function CheckGroup({ name, label, hint, children }: CheckGroupProps) {
  const { id, error, attributes } = useField(name, hint)
  return (
    <fieldset class="group" aria-describedby={attributes["aria-describedby"]}>
      <legend>{label}</legend>
      {children}
      {error && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </fieldset>
  )
}

function useField(name: string, hint: ComponentChildren) {
  const id = useId()
  const error = useContext(FieldErrorsContext)[name]
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ")
  const attributes = {
    id,
    "aria-describedby": described || undefined,
    "aria-invalid": error ? ("true" as const) : undefined,
  }
  return { id, error, attributes }
}

interface FrameProps {
  readonly id: string
  readonly label: string
  readonly hint: ComponentChildren
  readonly required: boolean | undefined
  readonly error: string | undefined
  readonly children: ComponentChildren
}

function FieldFrame({ id, label, hint, required, error, children }: FrameProps) {
  return (
    <div class={error ? "field wrong" : "field"}>
      <label for={id}>
        {label}
        {!required && <span class="optional"> optional</span>}
      </label>
      {children}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
