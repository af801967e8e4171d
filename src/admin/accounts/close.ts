import { Type } from "@sinclair/typebox"
import { accountId } from "../fields.ts"
import { defineChange } from "../operation.ts"
import { accountSchema, changeAccount, readAccount, requireOpenAccount } from "./account.ts"

export const closeAccount = defineChange({
  id: "accounts.close",
  title: "Close an account",
  description: "Closes an account. Its keys stop working at once. It can be reopened.",
  permission: "accounts.write",
  method: "POST",
  path: "/accounts/{id}/close",
  command: { words: "account close", args: ["id"], example: "acc_1234567890abcdef" },
  input: Type.Object({ id: accountId }),
  output: accountSchema,
  example: { id: "acc_1234567890abcdef" },
  async prepare({ id }, context) {
    return changeAccount(await requireOpenAccount(context, id), { closedMs: context.clock.now() }, context)
  },
  recall: readAccount,
})
