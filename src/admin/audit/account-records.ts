import type { AdminStore, AuditRecord } from "../../store/admin-store.ts"
import { readAllRows } from "../all-rows.ts"

/** The records of changes of accounts since a time, oldest first. */
export async function readAccountRecords(
  accountIds: readonly string[],
  fromMs: number,
  admin: AdminStore,
): Promise<readonly AuditRecord[]> {
  const found = await readAllRows(
    (page) => admin.audit({ targetIds: accountIds, fromMs }, page),
    ({ atMs, id }) => [atMs, id],
  )
  return found.toReversed()
}

/** Whether a record has a field of what was before or after a change. */
export function hasField(json: string | null, field: string): boolean {
  return json !== null && Object.hasOwn(JSON.parse(json), field)
}

/** A field of what a record has from before or after a change; null where it has none, or no text. */
export function recordedText(json: string | null, field: string): string | null {
  const fields: unknown = json === null ? null : JSON.parse(json)
  if (typeof fields !== "object" || fields === null) return null
  const value: unknown = Reflect.get(fields, field)
  return typeof value === "string" ? value : null
}
