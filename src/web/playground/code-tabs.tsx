import { useId, useState } from "preact/hooks"
import type { CodeCall } from "../../code-examples/code-call.ts"
import { codeLanguages } from "../../code-examples/languages.ts"
import { Button } from "../kit/button.tsx"
import { Segments } from "../kit/segments.tsx"
import { say } from "../kit/status.tsx"

/** The call as code in one of several languages. The key is not shown: the code may be on a screen that others see. */
export function CodeTabs({ call }: { readonly call: CodeCall }) {
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
