import { Type } from "@sinclair/typebox"
import { conflict } from "../fault.ts"
import { keyId } from "../fields.ts"
import { defineChange } from "../operation.ts"
import { changeKey, keySchema, readKey, requireLiveKey } from "./key.ts"

export const disableKey = defineChange({
  id: "keys.disable",
  title: "Disable a key",
  description: "Refuses calls with a key until it is enabled again.",
  permission: "keys.write",
  path: "/keys/{id}/disable",
  command: { words: "key disable", args: ["id"], example: "key_1234567890abcdef" },
  input: Type.Object({ id: keyId }),
  output: keySchema,
  async prepare({ id }, context) {
    const key = await requireLiveKey(context, id)
    if (key.disabledMs !== null) throw conflict(`Key '${id}' is disabled already.`)
    return changeKey(key, { disabledMs: context.clock.now() })
  },
  recall: readKey,
})

export const enableKey = defineChange({
  id: "keys.enable",
  title: "Enable a key",
  description: "Lets a disabled key work again.",
  permission: "keys.write",
  path: "/keys/{id}/enable",
  command: { words: "key enable", args: ["id"], example: "key_1234567890abcdef" },
  input: Type.Object({ id: keyId }),
  output: keySchema,
  async prepare({ id }, context) {
    const key = await requireLiveKey(context, id)
    if (key.disabledMs === null) throw conflict(`Key '${id}' is not disabled.`)
    return changeKey(key, { disabledMs: null })
  },
  recall: readKey,
})
