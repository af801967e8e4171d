import { signal } from "@preact/signals"
import { Section } from "../kit/page.tsx"
import { change } from "./control.ts"
import texts from "./texts.json"

const names = new Map(texts.faults.map(({ name, fault }) => [JSON.stringify(fault), name]))
/** The texts of faults that were switched off here, so that they can be switched on again. */
const switchedOff = signal<ReadonlySet<string>>(new Set(names.keys()))

function turn(text: string, isOn: boolean): void {
  const { api, key, input, webhook } = JSON.parse(text)
  if (!isOn) switchedOff.value = new Set([...switchedOff.value, text])
  change("PUT", "/faults", isOn ? JSON.parse(text) : { api, key, input, webhook, times: 0 })
}

/** Faults as switches. */
export function Faults({ faults }: { readonly faults: readonly object[] }) {
  const on = new Set(faults.map((rule) => JSON.stringify(rule)))
  return (
    <Section title="Faults">
      <div class="card">
        {[...switchedOff.value.union(on)].map((text) => (
          <label key={text} class="switch">
            <input
              type="checkbox"
              role="switch"
              aria-checked={on.has(text)}
              checked={on.has(text)}
              onChange={() => turn(text, !on.has(text))}
            />
            {names.get(text) ?? <code>{text}</code>}
          </label>
        ))}
      </div>
    </Section>
  )
}
