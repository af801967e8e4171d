import { type ComponentChildren, createContext, type RenderableProps } from "preact"
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
  readonly type?: "text" | "number" | "url" | "email" | "password"
  readonly placeholder?: string
  readonly autocomplete?: string
}

/** A line to type into, with its label, a hint and, when it is wrong, what to change. */
export function TextField({ type = "text", placeholder, autocomplete = "off", ...field }: InputProps) {
  const { frame, attributes } = useField(field)
  const isText = type === "text" || type === "url" || type === "email"
  return (
    <FieldFrame {...frame}>
      <input
        {...attributes}
        {...inputTypes[type]}
        inputMode={type === "number" ? "numeric" : undefined}
        defaultValue={field.value}
        aria-required={field.required}
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
  email: { type: "email" },
  password: { type: "password" },
} as const

interface LinesProps extends FieldProps {
  readonly rows?: number
  readonly autocomplete?: string | undefined
}

/** Several lines to type into. */
export function LinesField({ rows = 3, autocomplete, ...field }: LinesProps) {
  const { frame, attributes } = useField(field)
  return (
    <FieldFrame {...frame}>
      <textarea
        {...attributes}
        rows={rows}
        defaultValue={field.value}
        autocomplete={autocomplete}
        spellcheck={false}
      />
    </FieldFrame>
  )
}

/** Values with their labels. Values with a group are listed under its name. */
export type Choices = readonly (readonly [value: string, label: string, group?: string])[]

/** Adds the present value if it is not among the choices, so that the browser does not show another one for it. */
export function withPresent(choices: Choices, value: string | null): Choices {
  const isKnown = value === null || choices.some(([each]) => each === value)
  return isKnown ? choices : [...choices, [value, value] as const]
}

interface OptionsProps {
  readonly choices: Choices
  readonly chosen: string | undefined
}

/** The choices of a list, one of them selected. */
export function Options({ choices, chosen }: OptionsProps) {
  const groups = Map.groupBy(choices, ([, , group = ""]) => group)
  return [...groups].map(([group, members]) => {
    const options = members.map(([value, label]) => (
      <option key={value} value={value} selected={value === chosen}>
        {label}
      </option>
    ))
    return group === "" ? (
      options
    ) : (
      <optgroup key={group} label={group}>
        {options}
      </optgroup>
    )
  })
}

/** A list to choose one value from. */
export function SelectField({ choices, ...field }: FieldProps & { readonly choices: Choices }) {
  const { frame, attributes } = useField(field)
  return (
    <FieldFrame {...frame}>
      <select {...attributes} aria-required={field.required}>
        <Options choices={choices} chosen={field.value} />
      </select>
    </FieldFrame>
  )
}

interface CheckProps extends Pick<FieldProps, "name" | "label" | "hint"> {
  /** The form's value when it is ticked. */
  readonly value?: string
  readonly checked?: boolean
  /** Makes it a switch, which takes effect at once: `checked` says whether it is on. */
  readonly onTurn?: (isOn: boolean) => void
}

/** A box to tick. Several with one name make a list. */
export function CheckField({ name, label, hint, value = "on", checked, onTurn }: CheckProps) {
  const id = useId()
  const state = onTurn
    ? ({ checked, role: "switch", onChange: () => onTurn(!checked) } as const)
    : { defaultChecked: checked }
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        name={name}
        value={value}
        {...state}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      <label for={id}>{label}</label>
      <Hint id={id}>{hint}</Hint>
    </div>
  )
}

/** Boxes that belong together. */
export function CheckGroup({
  children,
  ...field
}: RenderableProps<Pick<FieldProps, "name" | "label" | "hint">>) {
  const { frame, attributes } = useField(field)
  const { id, label, hint, error } = frame
  return (
    <fieldset class="group stack" aria-describedby={attributes["aria-describedby"]}>
      <legend>{label}</legend>
      {children}
      {error && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      <Hint id={id}>{hint}</Hint>
    </fieldset>
  )
}

/** The frame of a field, and the attributes that connect its element with label, hint and message. */
function useField({ name, label, hint, required }: FieldProps) {
  const id = useId()
  const error = useContext(FieldErrorsContext)[name]
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ")
  const attributes = {
    id,
    name,
    "aria-describedby": described || undefined,
    "aria-invalid": error ? ("true" as const) : undefined,
  }
  return { frame: { id, label, hint, required, error }, attributes }
}

type FrameProps = ReturnType<typeof useField>["frame"] & { readonly children: ComponentChildren }

function FieldFrame({ id, label, hint, required, error, children }: FrameProps) {
  return (
    <div class={error ? "field wrong stack gap-1" : "field stack gap-1"}>
      <label for={id}>
        {label}
        {!required && <span class="hint"> optional</span>}
      </label>
      {children}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      <Hint id={id}>{hint}</Hint>
    </div>
  )
}

function Hint({ id, children }: { readonly id: string; readonly children: ComponentChildren }) {
  if (!children) return null
  return (
    <p class="hint" id={`${id}-hint`}>
      {children}
    </p>
  )
}
