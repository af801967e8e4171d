import { createId } from "../../accounts/key.ts"
import type { Random } from "../../apis/contract.ts"
import type { AdminStore } from "../../store/admin-reads.ts"
import type { AuditRecord } from "../../store/admin-store.ts"
import type { Actor, ChangedThing } from "../operation.ts"
import { readAllRows } from "../pages.ts"

/**
 * Makes audit records. The log is sorted by time and id, so ids of one millisecond rise in the order in which this process makes
 * them.
 */
export function createAuditRecords(random: Random) {
  let lastMs = Number.NaN
  let count = 0
  return (
    operation: string,
    { target, before = null, after = null }: ChangedThing,
    { id: actor, name: actorName, source, requestId }: Pick<Actor, "id" | "name" | "source" | "requestId">,
    atMs: number,
  ): AuditRecord => {
    count = atMs === lastMs ? count + 1 : 0
    lastMs = atMs
    const place = atMs.toString(36).padStart(9, "0") + count.toString(36).padStart(4, "0")
    const { kind: targetKind, id: targetId, accountId } = target
    return {
      ...{ id: createId(`aud_${place}`, random), atMs, actor, actorName },
      ...{ operation, targetKind, targetId, accountId },
      before: before && JSON.stringify(before),
      after: after && JSON.stringify(after),
      ...{ source, requestId },
    }
  }
}

/** The records of changes of accounts since a time, oldest first. */
export function readAccountRecords(accountIds: readonly string[], fromMs: number, admin: AdminStore) {
  return readAllRows((page) => admin.audit({ targetIds: accountIds, fromMs }, page))
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

/** Returns which of the named fields differ, with their values before and after, for the audit log. */
export function changedFields<T extends object>(before: T, after: T, names: readonly string[]) {
  const changed = names.filter(
    (name) => JSON.stringify(Reflect.get(before, name)) !== JSON.stringify(Reflect.get(after, name)),
  )
  return { before: pick(before, changed), after: pick(after, changed) }
}

/** The named fields of a record. */
export function pick(record: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name): [string, unknown] => [name, Reflect.get(record, name)]))
}
