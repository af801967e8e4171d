import { isObject } from "../../values/is-object.ts"
import { largeNumberSentence, mistakeOfJson, pointerTo } from "../../values/json-value.ts"
import { shorten } from "../../values/text.ts"
import { type RunOf, reject } from "../contract.ts"
import { applyPatch, type Failed, type Failure } from "./apply-patch.ts"
import { findCommonItems } from "./common-items.ts"
import { isEqual } from "./equal.ts"
import type { jsondiff } from "./index.ts"
import { type Operation, parsePatch, parsePointer } from "./parse-patch.ts"
import { type PatchProblem, problem } from "./problems.ts"

/** Applies a merge patch (RFC 7386 §2). */
function applyMergePatch(target: unknown, patch: unknown): unknown {
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
function createMergePatch(from: unknown, to: unknown): { readonly patch: unknown } | null {
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

type Steps = readonly string[]

/**
 * Reads the places that are left out of a comparison.
 * @throws InputRejected for `ignore`
 */
function parseIgnored(pointers: readonly string[]): readonly Steps[] {
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
function leaveOut(value: unknown, places: readonly Steps[]): unknown {
  if (places.length === 0 || (!Array.isArray(value) && !isObject(value))) return value
  const inside = (name: string) =>
    places.flatMap(([first, ...rest]) => (first === name || first === "*" ? [rest] : []))
  const isLeftOut = (rests: readonly Steps[]) => rests.some((rest) => rest.length === 0)
  if (Array.isArray(value))
    return value.map((item, index) => {
      const rests = inside(String(index))
      return isLeftOut(rests) ? null : leaveOut(item, rests)
    })
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const rests = inside(name)
      return isLeftOut(rests) ? [] : [[name, leaveOut(member, rests)]]
    }),
  )
}

export const run: RunOf<typeof jsondiff> = (
  { from: given, to, patch, patch_type = "json_patch", ignore = [] },
  { premium },
) => {
  const isComparison = requireOne(to, patch)
  const ignored = parseIgnored(ignore)
  if (!isComparison && ignored.length > 0) reject("ignore", "must be left out where 'patch' is given")
  const from = leaveOut(given, ignored)
  const warnings = isComparison
    ? [...warningsOf("from", from), ...warningsOf("to", to)]
    : [...warningsOf("from", from), ...warningsOf("patch", patch)]
  const outcome = isComparison ? { result: leaveOut(to, ignored) } : apply(from, patch, patch_type)
  if ("problem" in outcome) {
    const nothing = { result: null, patch: null, merge_patch: null, reverse: null }
    return { is_valid: false, problems: [outcome.problem, ...warnings], ...nothing }
  }
  const { result } = outcome
  return {
    is_valid: true,
    problems: warnings,
    result,
    patch: createPatch(from, result),
    merge_patch: createMergePatch(from, result)?.patch ?? null,
    reverse: premium ? createPatch(result, from) : null,
  }
}

/** Whether two documents are to be compared. Null counts as left out, since some clients send it for missing values. */
function requireOne(to: unknown, patch: unknown): boolean {
  if (to === undefined && patch === undefined) reject("to", "is required, unless 'patch' is given")
  const hasBoth = to !== undefined && to !== null && patch !== undefined && patch !== null
  if (hasBoth) reject("patch", "must be left out where 'to' is given")
  return to !== undefined && (to !== null || patch === undefined || patch === null)
}

function apply(from: unknown, patch: unknown, type: string) {
  if (type === "merge_patch") return { result: applyMergePatch(from, patch) }
  const operations = parsePatch(patch)
  const outcome = applyPatch(from, operations)
  if ("failure" in outcome) return { problem: toProblem(outcome, operations[outcome.index]) }
  // Operations can make a document deeper and larger than both parameters.
  const mistake = mistakeOfJson(outcome.result)
  if (mistake !== null) reject("patch", `makes a result that cannot be returned: it ${mistake}`)
  if (lengthOf(outcome.result, maxLength) > maxLength)
    reject("patch", `makes a result with texts of more than ${maxLength.toLocaleString("en-US")} characters`)
  return outcome
}

const maxLength = 1_000_000

/** The characters of all texts in a value. Stops soon after `limit`. */
function lengthOf(value: unknown, limit: number): number {
  if (typeof value === "string") return value.length
  if (!Array.isArray(value) && !isObject(value)) return 0
  let length = 0
  for (const [name, inner] of Object.entries(value)) {
    if (length > limit) break
    length += name.length + lengthOf(inner, limit - length)
  }
  return length
}

const sentences: Readonly<Record<Failure, (place: string) => string>> = {
  missing: (place) => `the document has nothing at ${place}`,
  index: (place) => `${place} is not a place in the list`,
  root: () => "the whole document cannot be removed or moved",
  move_inside: () => "a value cannot be moved into itself",
  test_failed: (place) => `the value at ${place} differs`,
}

function toProblem({ index, failure, member }: Failed, operation: Operation | undefined): PatchProblem {
  const steps = operation && member === "from" && "from" in operation ? operation.from : operation?.path
  const place = shorten((steps ?? []).reduce(pointerTo, ""), maxShown) || "the root"
  const sentence = `Operation ${index} (counted from 0), ${operation?.op}: ${sentences[failure](place)}.`
  return problem(failure, `patch[${index}].${member}`, sentence)
}

/** The most characters of a JSON Pointer that are shown. */
const maxShown = 200

/** A warning for the first number that may have lost digits. */
function warningsOf(name: string, value: unknown): PatchProblem[] {
  const sentence = largeNumberSentence(value)
  return sentence === null ? [] : [problem("large_number", name, sentence)]
}

/** An operation of a JSON Patch (RFC 6902) as JSON. */
type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }

/** The JSON Patch (RFC 6902) that turns one document into another. */
function createPatch(from: unknown, to: unknown): PatchOperation[] {
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
