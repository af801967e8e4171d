import { formatNumber } from "../../kit/text.tsx"

type Fields = Readonly<Record<string, unknown>>

interface ChangesProps {
  readonly before: Fields | null
  readonly after: Fields | null
}

/** The changed fields of an audit record, before and after. */
export function Changes({ before, after }: ChangesProps) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    // Leave out empty fields of something that was just created.
    (name) => !isEmpty(before?.[name]) || !isEmpty(after?.[name]),
  )
  if (names.length === 0) return <span class="muted">–</span>
  return (
    <dl class="changes stack small">
      {names.map((name) => (
        <div class="row" key={name}>
          <dt class="muted">{name}</dt>
          <dd>
            {before !== null && name in before && (
              <>
                <del>
                  <span class="hidden">before: </span>
                  {toText(before[name])}
                </del>{" "}
              </>
            )}
            {after !== null && name in after ? (
              <ins>
                <span class="hidden">after: </span>
                {toText(after[name])}
              </ins>
            ) : (
              before !== null && <ins>removed</ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true
  return typeof value === "object" && Object.keys(value).length === 0
}

/** A value as people write it. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return "none"
  if (value === "") return "empty"
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value === "number") return formatNumber(value)
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(toText).join(", ")
  if (isEmpty(value)) return "none"
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}
