import { Type } from "@sinclair/typebox"
import { AdminFault, invalid } from "../fault.ts"
import { keyId } from "../fields.ts"
import { type AdminContext, defineChange } from "../operation.ts"
import { keyText, requireKeyByText } from "./find.ts"
import { changeKey, keyFields, keySchema, readKey, requireLiveKey } from "./key.ts"
import { raiseExpiring, raiseKeyChanged } from "./key-events.ts"
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
    if (Object.keys(set).length === 0)
      throw new AdminFault("invalid", `Give at least one field to change: ${keyFields.join(", ")}.`)
    const events = set.expiresMs === undefined ? [] : await raiseExpiring({ ...key, ...set }, context)
    return changeKey(key, set, events)
  },
  recall: readKey,
})

export const revokeKey = defineChange({
  id: "keys.revoke",
  title: "Revoke a key",
  description: "Revokes a key for good, by its id or its text. The next request with it is refused.",
  permission: "keys.write",
  path: "/keys/{id}/revoke",
  otherPaths: ["/keys/revoke"],
  command: { words: "key revoke", args: ["id"], stdin: "key", example: "key_1234567890abcdef" },
  portal: { key: "id", parameters: ["id"], action: "revoke" },
  input: Type.Object({ id: Type.Optional(keyId), key: Type.Optional(keyText) }),
  output: keySchema,
  isFinal: true,
  async prepare(input, context) {
    const key = await requireLiveKey(context, await requireId(input, context))
    const events = await raiseKeyChanged("key.revoked", key, context)
    return changeKey(key, { revokedMs: context.clock.now() }, events)
  },
  recall: readKey,
})

async function requireId(
  { id, key: text }: { readonly id?: string; readonly key?: string },
  context: AdminContext,
): Promise<string> {
  if (id !== undefined && text === undefined) return id
  if (id === undefined && text !== undefined) return (await requireKeyByText(context, text)).key.id
  throw invalid("id", "Give either the key's id or its text.")
}
