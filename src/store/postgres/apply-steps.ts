import type { AdminOutcome } from "../admin-store.ts"
import type { Step } from "../step.ts"
import type { Connection } from "./connection.ts"
import { toStorableText } from "./parameters.ts"

/** Runs all steps of a change, or none, with one statement: an instance that stops inside a transaction would stop all others. */
export async function applySteps(
  { run }: Pick<Connection, "run">,
  steps: readonly Step[],
): Promise<AdminOutcome> {
  const json = JSON.stringify(steps.map(toJson), (_, value: unknown) =>
    typeof value === "string" ? toStorableText(value) : value,
  )
  const apply = "SELECT apply_change($1::text::jsonb) AS outcome"
  const [row] = await run<{ outcome: AdminOutcome }>(apply, [json])
  if (!row) throw new Error("a SELECT without FROM gave no row")
  return row.outcome
}

/** A step as the function `apply_change` takes it: with all values in one parameter. */
function toJson({ sql, ...rest }: Step) {
  return { sql: sql.replace(/\$(\d+)/g, (_, place: string) => `($1->>${Number(place) - 1})`), ...rest }
}
