import { Type } from "@sinclair/typebox"
import { createId, createSecret, hashKey, visiblePrefix } from "../../accounts/key.ts"
import { requireExpiry, requireName } from "../../accounts/requirements.ts"
import type { AdminKeyRecord } from "../../store/admin-store.ts"
import { pick } from "../audit/record.ts"
import { optionalText, timeAheadFormat, timeAheadRequirement } from "../fields.ts"
import { issuedFields, issuedNote } from "../keys/key.ts"
import { defineChange } from "../operation.ts"
import { permissions } from "../permission.ts"
import { adminKeySchema, readAdminKey, toAdminKeyOutput } from "./admin-key.ts"
import { grantsParameter, requireGrants } from "./grants.ts"

const { id, ...otherFields } = adminKeySchema.properties

export const createAdmin = defineChange({
  id: "admins.create",
  title: "Create an admin key",
  description:
    "Creates a key of the admin API and shows it. It is not shown again. It can give no permission that its creator lacks.",
  permission: "admins.write",
  path: "/admins",
  command: { words: "admin-key create", example: "--name billing --may accounts.read --may usage.read" },
  input: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200, description: "The admin key's name." }),
    may: Type.Optional(
      grantsParameter(
        `What it may do: \`*\` for everything, \`keys.*\` for all about keys, or one of ${Object.keys(permissions).join(", ")}.`,
        { default: ["*"] },
      ),
    ),
    expires: optionalText("When it stops working: 2027-01-31, 2027-01-31T12:00:00Z, or 30d from now.", {
      maxLength: 40,
      format: timeAheadFormat,
      "x-requirement": timeAheadRequirement,
    }),
  }),
  output: Type.Object({ id, ...issuedFields, ...otherFields }),
  status: 201,
  example: { name: "billing", may: ["accounts.read", "usage.read"], expires: "30d" },
  async prepare({ name, may = ["*"], expires }, context) {
    const { random, actor } = context
    requireGrants(may, actor.permissions)
    requireName(name, "The name of an admin key")
    const nowMs = context.clock.now()
    const text = createSecret("adminKey", random)
    const adminKey: AdminKeyRecord = {
      id: createId("adm", random),
      name,
      prefix: visiblePrefix(text),
      permissions: may,
      createdMs: nowMs,
      expiresMs: expires === undefined ? null : requireExpiry(expires, nowMs),
      revokedMs: null,
    }
    const shown = toAdminKeyOutput(adminKey)
    return {
      mutations: [{ kind: "adminKey.insert", adminKey, hash: hashKey(text) }],
      target: { kind: "admin key", id: adminKey.id, accountId: null },
      after: pick(shown, ["name", "prefix", "permissions", "expires"]),
      answer: () => ({ ...shown, key: text, note: issuedNote }),
    }
  },
  recall: async (id, context) => ({ ...(await readAdminKey(id, context)), key: null, note: issuedNote }),
})
