import { isObject } from "../../values/is-object.ts"
import { isEqual } from "./equal.ts"

/** Applies a merge patch (RFC 7386 §2). */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name)
    else result.set(name, applyMergePatch(result.get(name), value))
  }
  return Object.fromEntries(result)
}

/**
 * The merge patch that turns one document into another. Null if a member would become null, since null in a merge patch removes
 * the member.
 */
export function createMergePatch(from: unknown, to: unknown): { readonly patch: unknown } | null {
  if (!isObject(to)) return { patch: to }
  const before = isObject(from) ? from : {}
  const members: [name: string, value: unknown][] = []
  for (const name of Object.keys(before)) if (!Object.hasOwn(to, name)) members.push([name, null])
  for (const [name, value] of Object.entries(to)) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined
    if (isEqual(old, value)) continue
    const inner = value === null ? null : createMergePatch(old, value)
    if (inner === null) return null
    members.push([name, inner.patch])
  }
  return { patch: Object.fromEntries(members) }
}
