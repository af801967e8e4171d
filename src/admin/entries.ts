import { Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import type { Administration } from "./administration.ts"
import type { Actor, Operation } from "./operation.ts"

const pageShape = Type.Object({
  data: Type.Array(Type.Unknown()),
  next: Type.Union([Type.String(), Type.Null()]),
})

/**
 * Reads all entries of a list, page after page, for an operation with the format `json-lines`.
 * @param values the parameters, typed
 * @throws AdminFault
 */
export async function* readEntries(
  { run }: Administration,
  operation: Operation,
  values: Readonly<Record<string, unknown>>,
  actor: Actor,
): AsyncGenerator<readonly unknown[], void, undefined> {
  let next: string | null = null
  do {
    const page = next === null ? values : { ...values, after: next }
    const { output } = await run(operation, { kind: "typed", values: page }, actor)
    const read = Value.Parse(pageShape, output)
    yield read.data
    next = read.next
  } while (next !== null)
}
