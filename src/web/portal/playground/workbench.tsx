import { useEffect, useRef, useState } from "preact/hooks"
import type { CodeCall } from "../../../code-examples/code-call.ts"
import { keepKey, keptKey } from "../../client/kept-key.ts"
import { Problem } from "../../client/problem.ts"
import { session } from "../../client/session.ts"
import { SelectField, TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { Answer } from "./answer.tsx"
import { type CallAnswer, sendCall } from "./call.ts"
import { CodeTabs } from "./code-tabs.tsx"
import type { OfferedApi } from "./offered-api.ts"
import { ParameterField, readParameters } from "./parameter-field.tsx"

const formats = ["json", "xml", "yaml", "csv"] as const
/** Names of fields that no parameter has: parameters begin with a letter. */
const keyField = "_key"
const formatField = "_format"

/** The form of a call, its code as it is filled in, and its answer. */
export function Workbench({ api }: { readonly api: OfferedApi }) {
  const place = useRef<HTMLDivElement>(null)
  const [call, setCall] = useState<CodeCall>(() => toCall(api, null))
  const [answer, setAnswer] = useState<CallAnswer | null>(null)
  const { premium: hasPremium = false } = session.value?.account ?? {}
  const update = () => setCall(toCall(api, place.current?.querySelector("form") ?? null))
  useEffect(update, [])

  async function run(): Promise<CallAnswer> {
    const sent = toCall(api, place.current?.querySelector("form") ?? null)
    keepKey(sent.key)
    const came = await sendCall(sent)
    setAnswer(came)
    // A refusal stands at the field that it is about.
    if (came.error !== null && (came.parameter !== null || came.status === 401)) {
      throw new Problem(came.status, { detail: came.error, parameter: came.parameter ?? keyField })
    }
    return came
  }

  return (
    <div class="workbench">
      <section class="card" aria-label="Parameters">
        <div ref={place} onInput={update} onChange={update}>
          <Form
            submit="Send the call"
            required={{ [keyField]: "Type an API key; it starts with pk-." }}
            send={run}
            done={() => {}}
          >
            {api.parameters.map((parameter) => (
              <ParameterField
                key={parameter.name}
                parameter={parameter}
                hasPremium={hasPremium}
                value={api.example[parameter.name]}
              />
            ))}
            <SelectField
              name={formatField}
              label="Format of the answer"
              required
              value="json"
              choices={formats.map((format) => [format, format.toUpperCase()])}
            />
            <TextField
              name={keyField}
              label="API key"
              type="password"
              required
              value={keptKey() ?? ""}
              hint="Kept in this tab until it is closed, and nowhere else."
            />
          </Form>
        </div>
      </section>
      <div class="workbench-results">
        <CodeTabs call={call} />
        <Answer answer={answer} credits={api.credits} />
      </div>
    </div>
  )
}

/** The call that is filled in; the example's before the form is there. */
function toCall({ id, method, parameters, example }: OfferedApi, form: HTMLFormElement | null): CodeCall {
  const url = `${location.origin}/v1/${id}`
  if (!form) return { method, url, key: keptKey() ?? "", input: example }
  const data = new FormData(form)
  const raw = (name: string) => String(data.get(name) ?? "")
  const text = (name: string) => raw(name).trim()
  return {
    method,
    url,
    key: text(keyField),
    input: readParameters(parameters, { text, raw }),
    format: text(formatField),
  }
}
