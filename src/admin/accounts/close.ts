import { Type } from "@sinclair/typebox"
import { toIso } from "../../values/time-text.ts"
import { accountId } from "../fields.ts"
import { defineOperation } from "../operation.ts"
import { accountSchema, readAccount, requireOpenAccount } from "./account.ts"

export const closeAccount = defineOperation({
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
  run: {
    kind: "change",
    async prepare({ id }, context) {
      const { version } = await requireOpenAccount(context, id)
      const closedMs = context.clock.now()
      return {
        mutations: [{ kind: "account.update", id, version, set: { closedMs } }],
        target: { kind: "account", id, accountId: id },
        before: { closed: null },
        after: { closed: toIso(closedMs) },
        answer: () => readAccount(id, context),
      }
    },
    recall: readAccount,
  },
})
