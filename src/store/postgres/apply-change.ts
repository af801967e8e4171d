import type { AdminChange, AdminOutcome } from "../admin-store.ts"
import type { Connection } from "./connection.ts"
import { toStorableText } from "./storable-text.ts"

/** Makes a change with one statement, since an instance that stops inside a transaction would stop all others. */
export async function applyChange({ run }: Connection, change: AdminChange): Promise<AdminOutcome> {
  const json = JSON.stringify(change, (_, value) =>
    typeof value === "string" ? toStorableText(value) : value,
  )
  const [row] = await run<{ outcome: AdminOutcome }>("SELECT apply_change($1::text::jsonb) AS outcome", [
    json,
  ])
  if (!row) throw new Error("a SELECT without FROM gave no row")
  return row.outcome
}
