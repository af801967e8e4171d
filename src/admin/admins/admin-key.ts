import { Type } from "@sinclair/typebox"
import type { AdminKeyRecord } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"
import { conflict, missing } from "../fault.ts"
import { idText, instant, listOf, maybeInstant, pageParameters } from "../fields.ts"
import { defineChange, defineRead } from "../operation.ts"
import { readPage } from "../pages.ts"
import type { AdminParts } from "../parts.ts"
import { grants } from "../permission.ts"
import { showBy } from "../show.ts"
import { keepOwner, requireNoMore } from "./grants.ts"

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

/** An admin key as operations show it. */
export const toAdminKeyOutput = showBy(adminKeySchema)

/** @throws AdminFault when there is no such admin key */
async function requireAdminKey({ admin }: AdminParts, id: string): Promise<AdminKeyRecord> {
  return (await admin.findAdminKeyById(id)) ?? missing("admin key", id)
}

/** Reads an admin key for an answer. */
export async function readAdminKey(id: string, context: AdminParts) {
  return toAdminKeyOutput(await requireAdminKey(context, id))
}

export const listAdmins = defineRead({
  id: "admins.list",
  title: "List admin keys",
  description: "Lists the keys of the admin API without their texts, oldest first.",
  permission: "admins.read",
  path: "/admins",
  command: {
    words: "admin-key list",
    example: "",
    empty: "No admin keys. Create one with 'admin-key create'.",
    columns: ["id", "name", "prefix", "permissions", "created", "expires", "revoked"],
  },
  input: Type.Object(pageParameters),
  output: listOf(adminKeySchema),
  read: (page, { admin }) =>
    readPage(
      "admins",
      page,
      (place) => admin.adminKeys(place),
      ({ createdMs, id }) => [createdMs, id],
      (key) => toAdminKeyOutput(key),
    ),
})

export const revokeAdmin = defineChange({
  id: "admins.revoke",
  title: "Revoke an admin key",
  description:
    "Revokes a key of the admin API for good. The next request with it is refused. It needs all permissions that the key has.",
  permission: "admins.write",
  path: "/admins/{id}/revoke",
  command: { words: "admin-key revoke", args: ["id"], example: "adm_1234567890abcdef" },
  input: Type.Object({ id: idText("The admin key's id, which starts with `adm_`.") }),
  output: adminKeySchema,
  isFinal: true,
  async prepare({ id }, context) {
    const { name, permissions, revokedMs: earlierMs } = await requireAdminKey(context, id)
    requireNoMore(permissions, `the admin key '${name}' has`, context)
    if (earlierMs !== null) throw conflict(`Admin key '${id}' is revoked already.`)
    const revokedMs = context.clock.now()
    return {
      mutations: [{ kind: "adminKey.revoke", id, revokedMs }, ...keepOwner(permissions, context)],
      target: { kind: "admin key", id, accountId: null },
      before: { revoked: null },
      after: { revoked: toIso(revokedMs) },
    }
  },
  recall: readAdminKey,
})
