import { Type } from "@sinclair/typebox"
import { AdminFault } from "../fault.ts"
import { keyId } from "../fields.ts"
import { type AdminContext, defineChange } from "../operation.ts"
import { keyText, requireKeyByText } from "./find.ts"
import { changeKey, keySchema, readKey, requireLiveKey } from "./key.ts"
import { raiseKeyChanged } from "./key-events.ts"

export const revokeKey = defineChange({
  id: "keys.revoke",
  title: "Revoke a key",
  description: "Revokes a key for good, by its id or its text. The next request with it is refused.",
  permission: "keys.write",
  method: "POST",
  path: "/keys/{id}/revoke",
  otherPaths: ["/keys/revoke"],
  command: { words: "key revoke", args: ["id"], stdin: "key", example: "key_1234567890abcdef" },
  portal: { key: "id", parameters: ["id"], action: "revoke" },
  input: Type.Object({ id: Type.Optional(keyId), key: Type.Optional(keyText) }),
  output: keySchema,
  isFinal: true,
  example: { id: "key_1234567890abcdef" },
  async prepare(input, context) {
    const key = await requireLiveKey(context, await requireId(input, context))
    const events = await raiseKeyChanged("key.revoked", key, context)
    return changeKey(key, { revokedMs: context.clock.now() }, context, events)
  },
  recall: readKey,
})

async function requireId(
  { id, key: text }: { readonly id?: string; readonly key?: string },
  context: AdminContext,
): Promise<string> {
  if (id !== undefined && text === undefined) return id
  if (id === undefined && text !== undefined) return (await requireKeyByText(context, text)).key.id
  throw new AdminFault("invalid", "Give either the key's id or its text.", { parameter: "id" })
}
