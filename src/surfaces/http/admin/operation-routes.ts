import type { Operation } from "../../../admin/operation.ts"

/**
 * The starts of all paths of the administration: for operators, and for customers. The app that listens sends all below them to
 * the administration, whose routes begin with them.
 */
export const prefixes = {
  console: { admin: "/admin", session: "/console/session" },
  portal: { operations: "/portal/v1", session: "/portal/session", mailLinks: "/portal/mail-links" },
} as const

/** The start of the paths of all operations. */
export const adminRoot = `${prefixes.console.admin}/v1`
/** The path of the document that describes the admin API. */
export const documentPath = `${prefixes.console.admin}/openapi.json`

/** One way to an operation. Most have one; `/keys/revoke` does the same as `/keys/{id}/revoke` for a key's text. */
export interface OperationRoute {
  readonly operation: Operation
  /** The start of the path. */
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
      inPath: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
    })),
  )
}

/** The path of a route as Elysia writes it: `/admin/v1/accounts/:id`. */
export function toElysiaPath({ template }: OperationRoute): string {
  return template.replaceAll(/\{(\w+)\}/g, ":$1")
}

/** Whether an operation has required parameters in its body. Without them the body may be missing. */
export function needsBody({ operation: { method, input }, inPath }: OperationRoute): boolean {
  return method !== "GET" && (input.required ?? []).some((name) => !inPath.includes(name))
}

/** `keysRotate` of `keys.rotate`; a further path of an operation is named by its parameters, too. */
export function operationIdOf({ operation: { id, path }, template, inPath }: OperationRoute): string {
  const name = toName(id)
  const more = template.endsWith(path) ? "" : `By${inPath.map(toName).join("")}`
  return name.charAt(0).toLowerCase() + name.slice(1) + more
}

/** `KeysRotate` of `keys.rotate`. */
export function toName(id: string): string {
  return id.replaceAll(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase())
}
