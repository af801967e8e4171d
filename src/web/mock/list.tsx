import type { ComponentChildren } from "preact"
import { Section } from "../kit/page.tsx"
import { Secret } from "../kit/secret.tsx"
import { Empty } from "../kit/states.tsx"
import { service } from "./control.ts"
import { examples } from "./texts.json"

interface ListProps<Entry> {
  readonly title: string
  readonly kind: keyof typeof examples
  /** Oldest first. */
  readonly entries: readonly Entry[]
  /** The name of an entry, what stands below it, and its state. */
  lineOf(entry: Entry): readonly [string, string, ComponentChildren?]
  /** Shown above all that an entry holds. */
  readonly use?: (entry: Entry) => ComponentChildren
}

/** A list of the test double, newest first. Each entry can be opened. */
export function List<Entry extends object>({ title, kind, entries, lineOf, use }: ListProps<Entry>) {
  const example = <Secret label="This makes one" text={examples[kind].replaceAll("SERVICE", service)} />
  const draw = (entry: Entry, index: number) => {
    const [name, below, state] = lineOf(entry)
    return (
      <details key={"number" in entry ? entry.number : index}>
        <summary>
          <span class="mono">{name}</span>
          {state}
          <span class="below">{below}</span>
        </summary>
        {use?.(entry)}
        <pre class="json">{JSON.stringify(entry, readable, 2).replaceAll("\\n", "\n")}</pre>
      </details>
    )
  }
  return (
    <Section title={title}>
      {entries.length === 0 && <Empty title={`No ${kind} yet`} action={example} />}
      {entries.length > 0 && <div class="card entries">{entries.map(draw).reverse()}</div>}
    </Section>
  )
}

/** A body of JSON as a value. */
function readable(key: string, value: unknown): unknown {
  return key === "body" && /^\{.*\}$/s.test(String(value)) ? JSON.parse(String(value)) : value
}
