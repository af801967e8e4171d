import type { TSchema } from "@sinclair/typebox"

/**
 * Marks the list of an audit's checks in an output. Pages then show the answer as a report: `grade` and `score`, the checks with
 * their status, reason and advice, and the fixes.
 * @example
 * const output = Type.Object({ checks: reportChecks(Type.Array(check, { description: "Every check." })) })
 */
export function reportChecks<T extends TSchema>(schema: T): T {
  return { ...schema, "x-report": true }
}
