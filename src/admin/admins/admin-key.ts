import { type Static, Type } from "@sinclair/typebox"
import type { AdminKeyRecord } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"
import { AdminFault } from "../fault.ts"
import { instant, maybeInstant } from "../fields.ts"
import type { AdminParts } from "../parts.ts"
import { grants } from "../permission.ts"

/** An admin key as operations answer it, without its text. */
export const adminKeySchema = Type.Object({
  id: Type.String({ description: "The admin key's id." }),
  name: Type.String({ description: "Its name." }),
  prefix: Type.String({ description: "The first characters of its text." }),
  permissions: Type.Array(Type.String({ enum: grants }), { description: "What it may do." }),
  created: instant("When it was created."),
  expires: maybeInstant("When it stops working; null for never."),
  revoked: maybeInstant("When it was revoked; null if it was not."),
})

type AdminKeyOutput = Static<typeof adminKeySchema>

/** An admin key as operations show it. */
export function toAdminKeyOutput(key: AdminKeyRecord): AdminKeyOutput {
  const { id, name, prefix, permissions, createdMs, expiresMs, revokedMs } = key
  return {
    id,
    name,
    prefix,
    permissions: [...permissions],
    created: toIso(createdMs),
    expires: toIso(expiresMs),
    revoked: toIso(revokedMs),
  }
}

/** @throws AdminFault when there is no such admin key */
export async function requireAdminKey({ admin }: AdminParts, id: string): Promise<AdminKeyRecord> {
  const key = await admin.findAdminKeyById(id)
  if (key) return key
  throw new AdminFault("not-found", `There is no admin key '${id}'. List the admin keys to find its id.`, {
    id,
  })
}

/** Reads an admin key for an answer. */
export async function readAdminKey(id: string, context: AdminParts): Promise<AdminKeyOutput> {
  return toAdminKeyOutput(await requireAdminKey(context, id))
}
