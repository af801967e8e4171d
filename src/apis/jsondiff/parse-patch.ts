import { isObject } from "../../values/is-object.ts"
import { reject } from "../contract.ts"

type Steps = readonly string[]

/** One operation of a JSON Patch (RFC 6902 §4). Paths are split into their steps. */
export type Operation =
  | { readonly op: "add" | "replace" | "test"; readonly path: Steps; readonly value: unknown }
  | { readonly op: "remove"; readonly path: Steps }
  | { readonly op: "move" | "copy"; readonly path: Steps; readonly from: Steps }

/** Parameters have at most 100 levels. */
const maxSteps = 100

/**
 * Reads a JSON Patch. Members that the RFC does not know are ignored.
 * @throws InputRejected for `patch`, naming the first wrong operation
 */
export function parsePatch(patch: unknown): readonly Operation[] {
  if (!Array.isArray(patch))
    reject("patch", "must be a list of operations (RFC 6902), unless 'patch_type' is merge_patch")
  return patch.map(parseOperation)
}

function parseOperation(given: unknown, index: number): Operation {
  function refuse(requirement: string): never {
    reject("patch", `has a mistake in operation ${index} (counted from 0): ${requirement}`)
  }

  function stepsOf(name: "path" | "from"): Steps {
    const text = operation[name]
    const steps = typeof text === "string" ? parsePointer(text) : null
    if (steps === null) refuse(`'${name}' must be a JSON Pointer (RFC 6901), such as "/a/0", or ""`)
    if (steps.length > maxSteps) refuse(`'${name}' must have at most ${maxSteps} steps`)
    // In most programs, `__proto__` is not a member: setting it changes what the object inherits.
    if (steps.includes("__proto__")) refuse(`'${name}' must not lead to __proto__`)
    return steps
  }

  if (!isObject(given)) refuse("it must be an object")
  const operation = given
  const { op } = operation
  if (op === "remove") return { op, path: stepsOf("path") }
  if (op === "move" || op === "copy") return { op, path: stepsOf("path"), from: stepsOf("from") }
  if (op !== "add" && op !== "replace" && op !== "test")
    refuse("'op' must be one of add, remove, replace, move, copy, test")
  if (!Object.hasOwn(operation, "value")) refuse(`'value' is required for ${op}`)
  return { op, path: stepsOf("path"), value: operation.value }
}

/** The names and indexes of a JSON Pointer (RFC 6901), as text; null if the text is no pointer. */
export function parsePointer(text: string): readonly string[] | null {
  if (text === "") return []
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return null
  return text
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
}
