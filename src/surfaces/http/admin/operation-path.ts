import type { Operation } from "../../../admin/operation.ts"
import { decodePart } from "../query.ts"

/** What the paths of all operations begin with. */
export const adminRoot = "/admin/v1"
/** What the paths begin with under which customers reach some of them. */
export const portalRoot = "/portal/v1"

/** One way to an operation. Most have one; `/accounts/{id}/usage` does the same as `/usage` for one account. */
export interface OperationRoute {
  readonly operation: Operation
  /** What the path begins with. */
  readonly root: string
  /** Such as `/admin/v1/accounts/{id}`. A name in braces is a parameter of the operation. */
  readonly template: string
  /** The parameters in the path. */
  readonly inPath: readonly string[]
}

/** Every route of the operations, in their order. */
export function routesOf(operations: readonly Operation[], root = adminRoot): readonly OperationRoute[] {
  return operations.flatMap((operation) =>
    [operation.path, ...(operation.otherPaths ?? [])].map((path) => ({
      operation,
      root,
      template: root + path,
      inPath: partsOf(path).flatMap((part) => nameIn(part) ?? []),
    })),
  )
}

/** The routes that a path stands for. There can be several: `/keys/find` is also `/keys/{id}`. */
export function matching(path: string, routes: readonly OperationRoute[]): readonly OperationRoute[] {
  const parts = partsOf(path)
  return routes.filter(({ template }) => {
    const expected = partsOf(template)
    return (
      expected.length === parts.length &&
      expected.every((part, index) => (nameIn(part) === null ? part === parts[index] : parts[index] !== ""))
    )
  })
}

/** The parameters in the path of a request; the text is null when it is not percent-encoded UTF-8. */
export function pathValues({ template }: OperationRoute, path: string) {
  const parts = partsOf(path)
  return partsOf(template).flatMap((part, index) => {
    const name = nameIn(part)
    return name === null ? [] : [{ name, text: decodePart(parts[index] ?? "") }]
  })
}

function nameIn(part: string): string | null {
  return /^\{(\w+)\}$/.exec(part)?.[1] ?? null
}

/** A path with a slash at its end is the same path, as Elysia takes it for the APIs. */
function partsOf(path: string): string[] {
  return path.replace(/(?<=.)\/$/, "").split("/")
}
