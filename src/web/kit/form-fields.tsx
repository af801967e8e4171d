import type { ComponentChildren } from "preact"
import { type FormParameter, type InputOf, parameterOf, type SendId } from "../client/operations.ts"
import {
  CheckField,
  CheckGroup,
  type Choices,
  type FieldErrors,
  LinesField,
  SelectField,
  TextField,
  withPresent,
} from "./field.tsx"
import type { FormValues } from "./form.tsx"
import { Description } from "./text.tsx"

/** A field of a form, and how its value is read. */
export interface FormField extends Omit<FormParameter, "choices" | "description"> {
  readonly name: string
  readonly label: string
  /** Below the field; none if empty. */
  readonly hint?: ComponentChildren
  /** Values to choose from, in words. */
  readonly choices?: Choices | undefined
  /** How the boxes of a list stand: in columns, or each with its value below it. One below the other by default. */
  readonly boxes?: "columns" | "codes"
  /** The value at first. */
  readonly value?: unknown
  /** Whether a value is changed, so that an empty text means something. */
  readonly isChange?: boolean
  /** Asks for a value that is missing. */
  readonly missing?: string
  /** Draws the field, if none of the kit fits; `read` then returns its value. */
  readonly draw?: () => ComponentChildren
  readonly read?: (typed: FormValues) => unknown
}

/** The parameters that a form asks for, in this order, and how their fields differ from the definitions. */
export type FieldsOf<Id extends SendId> = {
  readonly [Name in keyof InputOf<Id>]?: Partial<Omit<FormField, "name" | "value">>
}

/** Labels and input types of parameters whose names say too little. */
const special: Readonly<Record<string, { label: string; type?: "email" | "url" }>> = {
  allow_apis: { label: "Only these APIs" },
  allow_ips: { label: "Only from these addresses" },
  allow_private: { label: "Allow an address in a private network" },
  email: { label: "E-mail", type: "email" },
  notify: { label: "Notices" },
  rate_limit: { label: "Calls a minute" },
  url: { label: "Address", type: "url" },
}

/**
 * Returns the fields of an operation's form, as the definitions of its parameters say.
 * @param values the thing that is changed, whose values the fields begin with; empty for a new one
 */
export function fieldsOf<Id extends SendId>(
  operation: Id,
  fields: FieldsOf<Id>,
  values: Readonly<Record<string, unknown>> = {},
): readonly FormField[] {
  return Object.entries<FieldsOf<Id>[keyof FieldsOf<Id>]>({ ...fields }).map(([name, own = {}]) => {
    const { choices, description, isFilled, ...parameter } = parameterOf(operation, name)
    const isChange = name in values
    const value = values[name]
    const words = name.replaceAll("_", " ")
    return {
      label: special[name]?.label ?? words.charAt(0).toUpperCase() + words.slice(1),
      hint: (
        <Description text={description.replace(/null (?=for)/, "empty ").replace("Null for", "Empty for")} />
      ),
      boxes: choices ? "codes" : "columns",
      isRequired: isChange && isFilled === true && !parameter.isNullable,
      ...parameter,
      ...own,
      name,
      value,
      isChange,
      choices: choicesFrom(choices, own.choices, value),
    }
  })
}

/** The choices in words, then those of the definition and of the present value that have none. */
function choicesFrom(known: FormParameter["choices"], choices: Choices | undefined, value: unknown) {
  if (!known && !choices) return undefined
  const present = Array.isArray(value) ? value.map(String) : []
  return [...(known ?? []), ...present].reduce((all, each) => withPresent(all, each), choices ?? [])
}

/** Returns the fields that must be filled in, and what each then asks for. */
export function requiredOf(fields: readonly FormField[]): FieldErrors {
  const required = fields.filter(({ isRequired }) => isRequired)
  return Object.fromEntries(required.map((field) => [field.name, missingOf(field)]))
}

function missingOf({ kind, label, missing }: FormField): string {
  if (missing !== undefined) return missing
  if (kind === "number") return "Type a whole number, such as 500."
  return `Type ${/^[aeiou]/i.test(label) ? "an" : "a"} ${label.toLowerCase()}.`
}

/** Returns what was typed and chosen, by the names of the fields, without what is left as it is. */
export function readFields(fields: readonly FormField[], typed: FormValues) {
  const read = fields.map(
    (field) => [field.name, field.read ? field.read(typed) : readField(field, typed)] as const,
  )
  return Object.fromEntries(read.filter(([, value]) => value !== undefined))
}

function readField({ name, kind, isNullable, isChange, choices, value }: FormField, typed: FormValues) {
  if (kind === "flag") return typed.isTicked(name)
  if (kind === "list" && !choices) return typed.lines(name)
  // Choices that are not known yet have no field.
  if (kind === "list") return choices?.length === 0 ? undefined : typed.list(name)
  if (kind === "number") return typed.number(name) ?? (isNullable ? null : undefined)
  const text = typed.text(name)
  // An unchanged time is not sent: one in the past would be refused.
  if (kind === "time" && isChange && text === (value ?? "")) return undefined
  if (text !== "") return text
  return isNullable ? null : isChange ? "" : undefined
}

/** Draws fields, one below the other. */
export function FormFields({ fields }: { readonly fields: readonly FormField[] }) {
  return fields.map((field) => <OneField key={field.name} {...field} />)
}

function OneField({ name, label, hint, kind, isRequired, choices, boxes, value, draw }: FormField) {
  if (draw) return draw()
  const text = Array.isArray(value) ? value.join("\n") : String(value ?? "")
  const field = { name, label, hint, required: isRequired ?? false, value: text }
  if (kind === "flag") return <CheckField name={name} label={label} hint={hint} checked={value === true} />
  if (kind !== "list") {
    if (choices) return <SelectField {...field} required choices={withPresent(choices, text || null)} />
    return <TextField {...field} type={kind === "number" ? kind : (special[name]?.type ?? "text")} />
  }
  if (!choices) return <LinesField {...field} />
  if (choices.length === 0) return null
  const drawn = choices.map(([choice, title]) => (
    <CheckField
      key={choice}
      name={name}
      value={choice}
      label={title}
      hint={boxes === "codes" && <code>{choice}</code>}
      checked={Array.isArray(value) && value.includes(choice)}
    />
  ))
  return (
    <CheckGroup name={name} label={label} hint={hint}>
      {boxes === "columns" ? <div class="check-columns">{drawn}</div> : drawn}
    </CheckGroup>
  )
}
