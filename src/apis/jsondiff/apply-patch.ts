import { isObject } from "../../values/is-object.ts"
import { reject } from "../contract.ts"
import { isEqual } from "./equal.ts"
import type { Operation } from "./parse-patch.ts"

/** Why an operation cannot be applied. */
export type Failure = "missing" | "index" | "test_failed" | "root" | "move_inside"

/** The first operation that cannot be applied. */
export interface Failed {
  readonly index: number
  readonly failure: Failure
  /** The member of the operation that is wrong. */
  readonly member: "path" | "from" | "value"
}

/** The most values that `copy` operations may copy. More would make an answer that is too long. */
const maxCopied = 100_000

/**
 * Applies a JSON Patch (RFC 6902). The document is not changed: each object or list of it is copied before its first change.
 * @throws InputRejected for `patch`, when it copies too much
 */
export function applyPatch(
  document: unknown,
  patch: readonly Operation[],
): { readonly result: unknown } | Failed {
  const editor = createEditor(document)
  for (const [index, operation] of patch.entries()) {
    try {
      editor.apply(operation)
    } catch (thrown) {
      if (!(thrown instanceof CannotApply)) throw thrown
      return { index, failure: thrown.failure, member: thrown.member }
    }
  }
  return { result: editor.result() }
}

class CannotApply extends Error {
  readonly failure: Failure
  readonly member: Failed["member"]
  constructor(failure: Failure, member: Failed["member"] = "path") {
    super(failure)
    this.failure = failure
    this.member = member
  }
}

type Member = "path" | "from"
type Steps = readonly string[]
type Parent = Record<string, unknown> | unknown[]

function createEditor(document: unknown) {
  /** Around the document, which so has a place like any value in it. */
  const holder: Record<string, unknown> = { root: document }
  let copied = 0
  /** Objects and lists that were made here. Only these may be changed. */
  const own = new WeakSet<object>([holder])

  function toOwn(value: unknown, member: Member): Parent {
    if (typeof value !== "object" || value === null) throw new CannotApply("missing", member)
    // JSON has no other objects than records and lists.
    if (own.has(value)) return value as Parent
    const mine: Parent = Array.isArray(value) ? [...value] : { ...value }
    own.add(mine)
    return mine
  }

  /** The object or list around the place of a path, ready to be changed, and the step from it to the place. */
  function placeOf(path: Steps, member: Member): readonly [parent: Parent, step: string] {
    let parent: Parent = holder
    let last = "root"
    for (const step of path) {
      const inner = toOwn(memberOf(parent, last, member), member)
      set(parent, last, inner)
      parent = inner
      last = step
    }
    return [parent, last]
  }

  function add(path: Steps, value: unknown): void {
    const [parent, step] = placeOf(path, "path")
    if (!Array.isArray(parent)) {
      parent[step] = value
      return
    }
    const index = toIndex(step, parent.length)
    if (index === null || index > parent.length) throw new CannotApply("index")
    parent.splice(index, 0, value)
  }

  function remove(path: Steps, member: Member): void {
    if (path.length === 0) throw new CannotApply("root", member)
    const [parent, step] = placeOf(path, member)
    memberOf(parent, step, member)
    if (Array.isArray(parent)) parent.splice(Number(step), 1)
    else delete parent[step]
  }

  function replace(path: Steps, value: unknown): void {
    const [parent, step] = placeOf(path, "path")
    memberOf(parent, step, "path")
    set(parent, step, value)
  }

  /** A copy that shares no object and no list. */
  function copy(value: unknown): unknown {
    if (++copied > maxCopied) reject("patch", `must copy at most ${maxCopied.toLocaleString("en-US")} values`)
    if (Array.isArray(value)) return value.map(copy)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copy(inner)]))
  }

  function move(from: Steps, path: Steps): void {
    const value = valueAt(holder.root, from, "from")
    const isInside = from.length <= path.length && from.every((step, index) => step === path[index])
    if (isInside && from.length < path.length) throw new CannotApply("move_inside")
    if (isInside) return
    remove(from, "from")
    add(path, value)
  }

  return {
    result: () => holder.root,
    apply(operation: Operation): void {
      const { op, path } = operation
      if (op === "add") add(path, operation.value)
      else if (op === "remove") remove(path, "path")
      else if (op === "replace") replace(path, operation.value)
      else if (op === "move") move(operation.from, path)
      else if (op === "copy") add(path, copy(valueAt(holder.root, operation.from, "from")))
      else if (op === "test" && !isEqual(valueAt(holder.root, path, "path"), operation.value))
        throw new CannotApply("test_failed", "value")
    },
  }
}

function valueAt(document: unknown, steps: Steps, member: Member): unknown {
  let value = document
  for (const step of steps) value = memberOf(value, step, member)
  return value
}

/** The value at a step, which must be there. */
function memberOf(parent: unknown, step: string, member: Member): unknown {
  if (Array.isArray(parent)) {
    const index = toIndex(step, parent.length)
    if (index === null) throw new CannotApply("index", member)
    if (index < parent.length) return parent[index]
  } else if (isObject(parent) && Object.hasOwn(parent, step)) return parent[step]
  throw new CannotApply("missing", member)
}

function set(parent: Parent, step: string, value: unknown): void {
  if (Array.isArray(parent)) parent[Number(step)] = value
  else parent[step] = value
}

/** The index that a step names in a list (RFC 6901 §4); null if it is no index. `-` is the index after the last item. */
function toIndex(step: string, length: number): number | null {
  if (step === "-") return length
  return /^(?:0|[1-9]\d{0,9})$/.test(step) ? Number(step) : null
}
