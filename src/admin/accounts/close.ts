import { Type } from "@sinclair/typebox"
import { requirePlan } from "../../accounts/requirements.ts"
import { AdminFault } from "../fault.ts"
import { accountId } from "../fields.ts"
import { defineChange } from "../operation.ts"
import {
  accountSchema,
  changeAccount,
  readAccount,
  requireAccount,
  requireOpenAccount,
  requireVersion,
} from "./account.ts"

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

export const reopenAccount = defineChange({
  id: "accounts.reopen",
  title: "Reopen an account",
  description: "Opens a closed account again. Its keys that were not revoked work again.",
  permission: "accounts.write",
  method: "POST",
  path: "/accounts/{id}/reopen",
  command: { words: "account reopen", args: ["id"], example: "acc_1234567890abcdef" },
  input: Type.Object({
    id: accountId,
    plan: Type.Optional(
      Type.String({ maxLength: 100, description: "A new plan. It needs one if its own is not configured." }),
    ),
  }),
  output: accountSchema,
  example: { id: "acc_1234567890abcdef" },
  async prepare({ id, plan }, context) {
    const account = await requireAccount(context, id)
    requireVersion(account, context)
    if (account.closedMs === null) throw new AdminFault("conflict", `Account '${id}' is open.`)
    // A service does not start with an open account whose plan is missing.
    requirePlan(plan ?? account.plan, context.plans)
    return changeAccount(account, { closedMs: null, ...(plan !== undefined && { plan }) }, context)
  },
  recall: readAccount,
})
