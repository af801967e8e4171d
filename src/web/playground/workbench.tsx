import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import type { CodeCall } from "../../code-examples/code-call.ts"
import { codeLanguages } from "../../code-examples/languages.ts"
import { Problem } from "../client/request.ts"
import { Button, say } from "../kit/dialog.tsx"
import { LinesField, SelectField, TextField } from "../kit/field.tsx"
import { Form } from "../kit/form.tsx"
import { Segments } from "../kit/segments.tsx"
import { Description } from "../kit/text.tsx"
import { Answer, type ShownAnswer } from "./answer.tsx"
import { type CallAnswer, type Customer, sendCall } from "./call.ts"
import { type Callable, isJson, type OfferedParameter } from "./offered-api.ts"
import { findMistakenJson, readParameters } from "./read-parameters.ts"

const formats = ["json", "xml", "yaml", "csv"] as const
/** Names of fields that no parameter has: parameters begin with a letter. */
const keyField = "_key"
const formatField = "_format"

interface WorkbenchProps {
  readonly api: Callable
  /** The customer who is signed in; null when a key is to be typed. */
  readonly customer: Customer | null
  /** Calls a minute without a key; none by default. */
  readonly guestCalls?: number
  /** Called when the customer's session has ended. */
  signedOut(): void
  /** Shown above the code of the call. */
  readonly children?: ComponentChildren
}

/** The key that was typed last. It is kept in the page alone, so that it is gone when the page is left. */
let typedKey = ""

/** The form of a call, its code as it is filled in, and its answer. */
export function Workbench({ api, customer, guestCalls = 0, signedOut, children }: WorkbenchProps) {
  const place = useRef<HTMLDivElement>(null)
  const [call, setCall] = useState<CodeCall>(() => toCall(api, null))
  const [answer, setAnswer] = useState<ShownAnswer | null>(null)
  const read = () => toCall(api, place.current?.querySelector("form") ?? null)
  const update = () => {
    const typed = read()
    if (!customer) typedKey = typed.key
    setCall(typed)
  }
  useEffect(update, [])

  async function run(): Promise<CallAnswer> {
    const sent = read()
    const mistaken = findMistakenJson(api, typedIn(place.current?.querySelector("form") ?? null))
    if (mistaken !== null)
      throw new Problem(400, { detail: `The '${mistaken}' parameter must be JSON.`, parameter: mistaken })
    const came = await sendCall(sent, customer)
    setAnswer({ ...came, isGuest: !customer && sent.key === "" })
    if (came.status === 401 && customer) signedOut()
    // A refusal stands at the field that it is about.
    else if (came.error !== null && (came.parameter !== null || came.status === 401)) {
      throw new Problem(came.status, { detail: came.error, parameter: came.parameter ?? keyField })
    }
    return came
  }

  return (
    <div class="workbench">
      <section class="card" aria-label="Parameters">
        <div ref={place} onInput={update} onChange={update}>
          <Form
            submit={api.submit}
            required={
              customer || guestCalls > 0 ? {} : { [keyField]: "Type an API key; it starts with pk-." }
            }
            send={run}
          >
            {api.exampleNote !== null && <p class="hint">{api.exampleNote}</p>}
            {api.parameters.map((parameter) => (
              <ParameterField
                key={parameter.name}
                parameter={parameter}
                hasPremium={customer?.premium ?? null}
                value={api.example[parameter.name]}
              />
            ))}
            {api.hasFormats && (
              <SelectField
                name={formatField}
                label="Format of the answer"
                required
                value="json"
                choices={formats.map((format) => [format, format.toUpperCase()])}
              />
            )}
            {customer ? (
              <p class="hint">The call is made for your account, with a key that you have there.</p>
            ) : (
              <TextField
                name={keyField}
                label="API key"
                type="password"
                required={guestCalls === 0}
                value={typedKey}
                hint={
                  guestCalls === 0
                    ? "Kept in this page until you leave it, and nowhere else."
                    : `Leave it empty to try without a key: ${guestCalls === 1 ? "1 call" : `${guestCalls} calls`} a minute.`
                }
              />
            )}
          </Form>
        </div>
      </section>
      <div class="stack gap-5">
        {children}
        <CodeTabs call={{ ...call, input: withoutSecrets(call.input, api) }} />
        <Answer answer={answer} api={api} />
      </div>
    </div>
  )
}

/** The values that code shows: secret ones are not shown, since the code may be copied or on a screen that others see. */
function withoutSecrets(input: CodeCall["input"], { parameters, example }: Callable): CodeCall["input"] {
  const secrets = new Set(parameters.flatMap(({ name, schema }) => (schema["x-secret"] ? [name] : [])))
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      // The example's secret is public.
      secrets.has(name) && value !== example[name] ? `YOUR-${name.toUpperCase()}` : value,
    ]),
  )
}

/** Reads the current values of a form's fields. */
function typedIn(form: HTMLFormElement | null): (name: string) => string {
  const data = form ? new FormData(form) : null
  return (name) => String(data?.get(name) ?? "")
}

/** The call that is filled in; the example's before the form is there. */
function toCall(api: Callable, form: HTMLFormElement | null): CodeCall {
  const { id, method, example } = api
  const url = `${location.origin}/v1/${id}`
  if (!form) return { method, url, key: typedKey, input: example }
  const typed = typedIn(form)
  return {
    ...{ method, url, key: typed(keyField).trim() },
    input: readParameters(api, typed),
    format: typed(formatField) || "json",
  }
}

/** The call as code in one of several languages. The key is not shown: the code may be on a screen that others see. */
function CodeTabs({ call }: { readonly call: CodeCall }) {
  const [chosen, setChosen] = useState(codeLanguages[0]?.id)
  const name = useId()
  const language = codeLanguages.find(({ id }) => id === chosen)
  if (!language) return null
  const shown = language.write({ ...call, key: "YOUR-KEY" })
  return (
    <section class="card" aria-label="Code of the call">
      <div class="section-head row between">
        <Segments
          name={name}
          label="Language"
          choices={codeLanguages.map(({ id, name: title }) => [id, title])}
          chosen={language.id}
          choose={setChosen}
        />
        {isSecureContext && (
          <Button icon="copy" label="Copy the code" onClick={() => void copy(shown)}>
            Copy
          </Button>
        )}
      </div>
      <pre class="code-block sunken">
        <code>{shown}</code>
      </pre>
    </section>
  )
}

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
  say("Code copied. Replace YOUR-KEY with your key.")
}

interface ParameterFieldProps {
  readonly parameter: OfferedParameter
  /** The value that it has at first. */
  readonly value: unknown
  /** Whether premium parameters have an effect on the caller's plan; null when the plan is not known. */
  readonly hasPremium: boolean | null
}

/** The control for one parameter: a list for choices, lines for lists, a box of several lines for free text. */
function ParameterField({ parameter, value, hasPremium }: ParameterFieldProps) {
  const { name, isRequired, isPremium, schema } = parameter
  const label = isPremium ? `${name} (premium)` : name
  const isIdle = isPremium && hasPremium === false
  const isList = schema.type === "array"
  const said =
    hintOf(parameter) +
    (isIdle ? " It has no effect on your plan." : "") +
    (isList ? " One per line." : isJson(schema) ? " Written as JSON." : "")
  const hint = <Description text={said} />
  const text = toText(schema, value)
  const common = { name, label, hint, required: isRequired, value: text }
  const choices = schema.enum ?? (schema.type === "boolean" ? ["true", "false"] : null)
  if (choices) {
    const standard = schema.default === undefined ? "not given" : `${schema.default} (default)`
    return (
      <SelectField
        {...common}
        choices={[
          ...(isRequired ? [] : [["", standard] as const]),
          ...choices.map((choice) => [choice, choice] as const),
        ]}
      />
    )
  }
  if (isList || isJson(schema)) return <LinesField {...common} rows={6} />
  // A browser must not offer it again.
  const autocomplete = schema["x-secret"] ? "off" : undefined
  if (isFreeText(schema)) return <LinesField {...common} rows={1} autocomplete={autocomplete} />
  return <TextField {...common} />
}

function toText(schema: OfferedParameter["schema"], value: unknown): string {
  if (value === undefined) return ""
  if (isJson(schema)) return JSON.stringify(value, null, 2)
  return Array.isArray(value) ? value.join("\n") : String(value)
}

function hintOf({ description, schema }: OfferedParameter): string {
  const { minimum, maximum } = schema
  const range = minimum !== undefined && maximum !== undefined ? ` From ${minimum} to ${maximum}.` : ""
  const standard = schema.default === undefined || schema.enum ? "" : ` Default: ${schema.default}.`
  return `${description.replace(/^Premium\. /, "")}${range}${standard}`
}

function isFreeText({ type, format, pattern }: OfferedParameter["schema"]): boolean {
  return type === "string" && format === undefined && pattern === undefined
}
