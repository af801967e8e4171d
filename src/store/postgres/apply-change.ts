import type { AdminChange, AdminOutcome, AuditRecord, Mutation } from "../admin-store.ts"
import type { Connection } from "./connection.ts"
import { toStorableText } from "./storable-text.ts"

/** A mutation, which changes any version when its version is null. */
export type AnyMutation<M = Mutation> = M extends { readonly version: number }
  ? Omit<M, "version"> & { readonly version: number | null }
  : M

interface AnyChange extends Pick<AdminChange, "replay"> {
  readonly mutations: readonly AnyMutation[]
  /** Null for changes that are not those of an operation. */
  readonly audit: AuditRecord | null
}

/** Makes a change with one statement, since an instance that stops inside a transaction would stop all others. */
export async function applyChange({ run }: Connection, change: AnyChange): Promise<AdminOutcome> {
  const json = JSON.stringify(change, (_, value) =>
    typeof value === "string" ? toStorableText(value) : value,
  )
  const [row] = await run<{ outcome: AdminOutcome }>("SELECT apply_change($1::text::jsonb) AS outcome", [
    json,
  ])
  if (!row) throw new Error("a SELECT without FROM gave no row")
  return row.outcome
}
