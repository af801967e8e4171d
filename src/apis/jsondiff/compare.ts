import { isObject } from "../../values/is-object.ts"
import { pointerTo } from "../../values/json-value.ts"
import { findCommonItems } from "./common-items.ts"

/** An operation of a JSON Patch (RFC 6902) as JSON. */
type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }

/** The JSON Patch (RFC 6902) that turns one document into another. */
export function createPatch(from: unknown, to: unknown): PatchOperation[] {
  const patch: PatchOperation[] = []
  const budget = { left: maxWork }

  function compare(old: unknown, now: unknown, path: string): void {
    if (old === now) return
    if (Array.isArray(old) && Array.isArray(now)) compareLists(old, now, path)
    else if (isObject(old) && isObject(now)) compareObjects(old, now, path)
    else patch.push({ op: "replace", path, value: now })
  }

  function compareObjects(old: Members, now: Members, path: string): void {
    for (const name of Object.keys(old)) {
      const place = pointerTo(path, name)
      if (Object.hasOwn(now, name)) compare(old[name], now[name], place)
      else patch.push({ op: "remove", path: place })
    }
    for (const [name, value] of Object.entries(now)) {
      if (!Object.hasOwn(old, name)) patch.push({ op: "add", path: pointerTo(path, name), value })
    }
  }

  /** Between two items that stay, items are compared one by one. Items without a counterpart are removed or added. */
  function compareLists(old: Items, now: Items, path: string): void {
    let [oldAt, nowAt] = [0, 0]
    for (const [oldEnd, nowEnd] of [
      ...findCommonItems(old, now, budget),
      [old.length, now.length] as const,
    ]) {
      for (; oldAt < oldEnd && nowAt < nowEnd; oldAt++, nowAt++)
        compare(old[oldAt], now[nowAt], `${path}/${nowAt}`)
      for (; oldAt < oldEnd; oldAt++) patch.push({ op: "remove", path: `${path}/${nowAt}` })
      for (; nowAt < nowEnd; nowAt++) patch.push({ op: "add", path: `${path}/${nowAt}`, value: now[nowAt] })
      // The item that stays.
      oldAt++
      nowAt++
    }
  }

  compare(from, to, "")
  return patch
}

type Members = Readonly<Record<string, unknown>>
type Items = readonly unknown[]

/** The work for one patch to find items that stay, see {@link findCommonItems}. It takes about 100 ms. */
const maxWork = 4_000_000
