import { isObject } from "../../values/is-object.ts"

/** Objects and lists that were found to differ. Without it, values in nested lists would be compared many times. */
const different = new WeakMap<object, unknown>()

/** Whether two JSON values are equal (RFC 6902 §4.6). The order of members does not count. Do not change them afterwards. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (!Array.isArray(one) && !isObject(one)) return false
  if (different.get(one) === other) return false
  const areEqual = Array.isArray(one) ? areEqualLists(one, other) : areEqualObjects(one, other)
  if (!areEqual) different.set(one, other)
  return areEqual
}

function areEqualLists(one: readonly unknown[], other: unknown): boolean {
  return (
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((item, index) => isEqual(item, other[index]))
  )
}

function areEqualObjects(one: Readonly<Record<string, unknown>>, other: unknown): boolean {
  if (!isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
  )
}
