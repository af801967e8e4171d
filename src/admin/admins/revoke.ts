import { Type } from "@sinclair/typebox"
import { toIso } from "../../values/time-text.ts"
import { AdminFault } from "../fault.ts"
import { defineChange } from "../operation.ts"
import { adminKeySchema, readAdminKey, requireAdminKey } from "./admin-key.ts"

export const revokeAdmin = defineChange({
  id: "admins.revoke",
  title: "Revoke an admin key",
  description: "Revokes a key of the admin API for good. The next request with it is refused.",
  permission: "admins.write",
  method: "POST",
  path: "/admins/{id}/revoke",
  command: { words: "admin-key revoke", args: ["id"], example: "adm_1234567890abcdef" },
  input: Type.Object({
    id: Type.String({
      minLength: 1,
      maxLength: 100,
      description: "The admin key's id, which starts with `adm_`.",
    }),
  }),
  output: adminKeySchema,
  isFinal: true,
  example: { id: "adm_1234567890abcdef" },
  async prepare({ id }, context) {
    const { revokedMs: earlierMs } = await requireAdminKey(context, id)
    if (earlierMs !== null) throw new AdminFault("conflict", `Admin key '${id}' is revoked already.`)
    const revokedMs = context.clock.now()
    return {
      mutations: [{ kind: "adminKey.revoke", id, revokedMs }],
      target: { kind: "admin key", id, accountId: null },
      before: { revoked: null },
      after: { revoked: toIso(revokedMs) },
      answer: () => readAdminKey(id, context),
    }
  },
  recall: readAdminKey,
})
