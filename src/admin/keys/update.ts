import { Type } from "@sinclair/typebox"
import { AdminFault } from "../fault.ts"
import { keyId } from "../fields.ts"
import { defineChange } from "../operation.ts"
import { changeKey, keyFields, keySchema, readKey, requireLiveKey } from "./key.ts"
import { raiseExpiring } from "./key-events.ts"
import { keyParameters, readKeySettings } from "./key-input.ts"

export const updateKey = defineChange({
  id: "keys.update",
  title: "Change a key",
  description:
    "Changes the given fields of a key: name, expiry, APIs, networks, rate limit, external id, metadata.",
  permission: "keys.write",
  method: "PATCH",
  path: "/keys/{id}",
  command: {
    words: "key update",
    args: ["id"],
    example: "key_1234567890abcdef --expires 30d --rate-limit 60",
  },
  portal: { key: "id", parameters: ["id", "name"] },
  input: Type.Object({ id: keyId, ...keyParameters }),
  output: keySchema,
  example: { id: "key_1234567890abcdef", name: "reports", rate_limit: 60 },
  async prepare({ id, ...settings }, context) {
    const key = await requireLiveKey(context, id)
    const set = readKeySettings(settings, context)
    if (Object.keys(set).length === 0) {
      throw new AdminFault("invalid", `Give at least one field to change: ${keyFields.join(", ")}.`)
    }
    const events = set.expiresMs === undefined ? [] : await raiseExpiring({ ...key, ...set }, context)
    return changeKey(key, set, context, events)
  },
  recall: readKey,
})
