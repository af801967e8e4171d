import { Type } from "@sinclair/typebox"
import { keyId } from "../fields.ts"
import { defineOperation } from "../operation.ts"
import { keySchema, readKey } from "./key.ts"

export const getKey = defineOperation({
  id: "keys.get",
  title: "Show a key",
  description: "Shows a key without its text.",
  permission: "keys.read",
  method: "GET",
  path: "/keys/{id}",
  command: { words: "key show", args: ["id"], example: "key_1234567890abcdef" },
  portal: { key: "id" },
  input: Type.Object({ id: keyId }),
  output: keySchema,
  example: { id: "key_1234567890abcdef" },
  run: { kind: "read", read: ({ id }, context) => readKey(id, context) },
})
