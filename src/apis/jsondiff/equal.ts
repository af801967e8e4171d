import { isObject } from "../../values/is-object.ts"

/** Each object or list with the one that it was found to differ from. Without it, values inside of many lists are compared once for each. */
const different = new WeakMap<object, unknown>()

/** Whether two JSON values are equal (RFC 6902 §4.6): the order of members does not count. Neither may be changed afterwards. */
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
