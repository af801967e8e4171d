import type { ComponentChildren } from "preact"
import { parseJson } from "../client/request.ts"
import { Button } from "../kit/button.tsx"
import { Section } from "../kit/page.tsx"
import { Secret } from "../kit/secret.tsx"
import { Empty } from "../kit/states.tsx"
import { Tag } from "../kit/text.tsx"
import { change, service } from "./control.ts"
import { examples } from "./texts.json"

interface ListProps<Entry> {
  readonly kind: keyof typeof examples
  /** Oldest first. */
  readonly entries: readonly Entry[]
  /** The name of an entry, what stands below it, its state, and the tone of that. */
  lineOf(entry: Entry): readonly [string, string, string?, ("good" | "bad" | "plain")?]
  /** Shown above all that an entry holds. */
  readonly use?: (entry: Entry) => ComponentChildren
}

/** A list of the test double, newest first. Each entry can be opened, and one with an id sent again. */
export function List<Entry extends object>({ kind, entries, lineOf, use }: ListProps<Entry>) {
  const example = <Secret label="This makes one" text={examples[kind].replaceAll("SERVICE", service)} />
  const draw = (entry: Entry, index: number) => {
    const [name, below, state, tone] = lineOf(entry)
    return (
      <details key={"number" in entry ? entry.number : "id" in entry ? entry.id : index}>
        <summary>
          <span class="mono">{name}</span>
          {state && <Tag tone={tone ?? "plain"}>{state}</Tag>}
          <span class="below">{below}</span>
        </summary>
        {"id" in entry && (
          <Button onClick={() => change("PUT", `/${kind}/${entry.id}/resend`)}>Send again</Button>
        )}{" "}
        {use?.(entry)}
        <pre class="json">{JSON.stringify(entry, openBody, 2).replaceAll("\\n", "\n")}</pre>
      </details>
    )
  }
  return (
    <Section title={kind}>
      {entries.length === 0 && <Empty title={`No ${kind} yet`} action={example} />}
      {entries.length > 0 && <div class="card entries lined">{entries.map(draw).reverse()}</div>}
    </Section>
  )
}

/** A body of JSON is shown as the value that it is. */
const openBody = (key: string, value: unknown) => (key === "body" && parseJson(String(value))) || value
