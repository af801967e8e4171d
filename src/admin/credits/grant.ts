import { Type } from "@sinclair/typebox"
import { maxCredits } from "../../accounts/plan.ts"
import { accountSchema, readAccount, requireOpenAccount } from "../accounts/account.ts"
import { AdminFault } from "../fault.ts"
import { accountId } from "../fields.ts"
import { defineChange } from "../operation.ts"

export const grantCredits = defineChange({
  id: "credits.grant",
  title: "Grant credits",
  description: "Adds bonus credits to an account. They do not expire.",
  permission: "credits.grant",
  method: "POST",
  path: "/accounts/{id}/credits",
  command: { words: "account grant", args: ["id", "credits"], example: "acc_1234567890abcdef 500" },
  input: Type.Object({
    id: accountId,
    credits: Type.Integer({ minimum: 1, maximum: maxCredits, description: "How many credits to add." }),
  }),
  output: accountSchema,
  example: { id: "acc_1234567890abcdef", credits: 500 },
  async prepare({ id, credits }, context) {
    const { bonus } = await requireOpenAccount(context, id)
    if (bonus > maxCredits - credits) {
      throw new AdminFault(
        "conflict",
        `The bonus of an account can be ${maxCredits} credits at most; '${id}' has ${bonus}: grant ` +
          `${Math.max(0, maxCredits - bonus)} or less.`,
        { parameter: "credits" },
      )
    }
    return {
      mutations: [{ kind: "account.grant", id, credits, maxBonus: maxCredits }],
      target: { kind: "account", id, accountId: id },
      before: null,
      after: { granted: credits },
      answer: () => readAccount(id, context),
    }
  },
  recall: readAccount,
})
