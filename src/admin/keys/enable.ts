import { Type } from "@sinclair/typebox"
import { toIso } from "../../values/time-text.ts"
import { AdminFault } from "../fault.ts"
import { keyId } from "../fields.ts"
import { defineOperation } from "../operation.ts"
import { keySchema, keyTarget, readKey, requireLiveKey } from "./key.ts"

export const enableKey = defineOperation({
  id: "keys.enable",
  title: "Enable a key",
  description: "Lets a disabled key work again.",
  permission: "keys.write",
  method: "POST",
  path: "/keys/{id}/enable",
  command: { words: "key enable", args: ["id"], example: "key_1234567890abcdef" },
  input: Type.Object({ id: keyId }),
  output: keySchema,
  example: { id: "key_1234567890abcdef" },
  run: {
    kind: "change",
    async prepare({ id }, context) {
      const key = await requireLiveKey(context, id)
      if (key.disabledMs === null) throw new AdminFault("conflict", `Key '${id}' is not disabled.`)
      return {
        mutations: [{ kind: "key.update", id, version: key.version, set: { disabledMs: null } }],
        target: keyTarget(key),
        before: { disabled: toIso(key.disabledMs) },
        after: { disabled: null },
        answer: () => readKey(id, context),
      }
    },
    recall: readKey,
  },
})
