import { Type } from "@sinclair/typebox"
import type { Mutation } from "../../store/admin-store.ts"
import { forbidden, invalid } from "../fault.ts"
import type { AdminContext } from "../operation.ts"
import { allows, covers, grants, type Permission, permissions } from "../permission.ts"

/** The parameter that lists permissions. */
export function grantsParameter(description: string, more: { readonly default?: string[] } = {}) {
  return Type.Array(Type.String({ maxLength: 100, enum: grants }), {
    ...more,
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description,
    "x-requirement": "must be a list of one or more permissions, each once",
  })
}

/**
 * Requires that permissions exist, and that their giver has them.
 * @throws AdminFault
 */
export function requireGrants(may: readonly string[], own: readonly string[]): void {
  const unknown = may.find((text) => !grants.includes(text))
  if (unknown !== undefined)
    throw invalid(
      "may",
      `There is no permission '${unknown}'. Known are *, ${Object.keys(permissions).join(", ")}, and all of one kind such as keys.*.`,
    )
  const lacking = may.find((text) => !covers(own, text))
  if (lacking === undefined) return
  throw forbidden(
    `You cannot give '${lacking}', since you do not have it. You have ${own.join(", ")}.`,
    "may",
  )
}

/**
 * Requires a second permission, for a parameter that reaches further than the operation otherwise does.
 * @throws AdminFault 403
 */
export function requireToo(needed: Permission, parameter: string, why: string, { actor }: AdminContext) {
  if (allows(actor.permissions, needed)) return
  throw forbidden(`This needs the permission '${needed}' too: ${why}.`, parameter)
}

/**
 * Requires that someone who changes a person or an admin key has all its permissions.
 * @param whose such as `Ann Lee has or ever had`
 * @throws AdminFault 403 that names a permission that they lack
 */
export function requireNoMore(held: readonly string[], whose: string, { actor }: AdminContext): void {
  const lacking = held.find((one) => !covers(actor.permissions, one))
  if (lacking === undefined) return
  throw forbidden(
    `This needs all permissions that ${whose}, and you lack '${lacking}'. Ask a colleague who has it.`,
  )
}

/**
 * Keeps a change from taking away the last `*`: afterwards nobody could manage the service over the network any more. Whoever can
 * run a command on the machine can give it again.
 * @param permissions of the person or admin key that the change hits
 */
export function keepOwner(permissions: readonly string[], { actor, clock }: AdminContext): Mutation[] {
  if (!permissions.includes("*") || actor.id.startsWith("cli:")) return []
  return [{ kind: "owner.require", nowMs: clock.now() }]
}
