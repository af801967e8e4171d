import { Type } from "@sinclair/typebox"
import { AdminFault } from "../fault.ts"
import { covers, grants, permissions } from "../permission.ts"

/** The parameter that lists permissions. */
export function grantsParameter(description: string, more: { readonly default?: string[] } = {}) {
  return Type.Array(Type.String({ maxLength: 100, enum: grants }), {
    ...more,
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description,
    "x-requirement": "must be a list of permissions, each once",
  })
}

/**
 * Requires that permissions exist, and that their giver has them.
 * @throws AdminFault
 */
export function requireGrants(may: readonly string[], own: readonly string[]): void {
  const unknown = may.find((text) => !grants.includes(text))
  if (unknown !== undefined) {
    throw new AdminFault(
      "invalid",
      `There is no permission '${unknown}'. Known are *, ${Object.keys(permissions).join(", ")}, and all of one kind such as keys.*.`,
      { parameter: "may" },
    )
  }
  const lacking = may.find((text) => !covers(own, text))
  if (lacking === undefined) return
  throw new AdminFault(
    "forbidden",
    `You cannot give '${lacking}', since you do not have it. You have ${own.join(", ")}.`,
    { parameter: "may" },
  )
}
