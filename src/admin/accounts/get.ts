import { Type } from "@sinclair/typebox"
import { accountId } from "../fields.ts"
import { defineOperation } from "../operation.ts"
import { accountSchema, readAccount } from "./account.ts"

export const getAccount = defineOperation({
  id: "accounts.get",
  title: "Show an account",
  description: "Shows an account and its credits.",
  permission: "accounts.read",
  method: "GET",
  path: "/accounts/{id}",
  command: { words: "account show", args: ["id"], example: "acc_1234567890abcdef" },
  portal: { account: "id" },
  input: Type.Object({ id: accountId }),
  output: accountSchema,
  example: { id: "acc_1234567890abcdef" },
  run: { kind: "read", read: ({ id }, context) => readAccount(id, context) },
})
