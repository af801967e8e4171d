import { isObject } from "../../values/is-object.ts"
import { reject } from "../contract.ts"
import { parsePointer } from "./parse-patch.ts"

type Steps = readonly string[]

/**
 * Reads the places that are left out of a comparison.
 * @throws InputRejected for `ignore`
 */
export function parseIgnored(pointers: readonly string[]): readonly Steps[] {
  return pointers.map((pointer, index) => {
    const steps = parsePointer(pointer)
    if (steps !== null && steps.length > 0) return steps
    return reject(
      "ignore",
      `must have JSON Pointers (RFC 6901), such as "/a/*/b"; item ${index} (counted from 0) is none, or is the whole document`,
    )
  })
}

/** A value without certain places. The step `*` is any name or index; an item of a list becomes null. */
export function leaveOut(value: unknown, places: readonly Steps[]): unknown {
  if (places.length === 0 || (!Array.isArray(value) && !isObject(value))) return value
  const inside = (name: string) =>
    places.flatMap(([first, ...rest]) => (first === name || first === "*" ? [rest] : []))
  const isLeftOut = (rests: readonly Steps[]) => rests.some((rest) => rest.length === 0)
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      const rests = inside(String(index))
      return isLeftOut(rests) ? null : leaveOut(item, rests)
    })
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const rests = inside(name)
      return isLeftOut(rests) ? [] : [[name, leaveOut(member, rests)]]
    }),
  )
}
