import { defineChange } from "../operation.ts"
import { accountSchema, readAccount, toAccountOutput } from "./account.ts"
import { checksOf, newAccount, toCreated, toNewAccount } from "./new-account.ts"

export const createAccount = defineChange({
  id: "accounts.create",
  title: "Create an account",
  description: "Creates an account with a plan. Its bonus starts with the plan's sign-up bonus.",
  permission: "accounts.write",
  path: "/accounts",
  command: { words: "account create", makesStore: true, example: "--name Ann --plan pro" },
  input: newAccount,
  output: accountSchema,
  status: 201,
  example: { name: "Ann", plan: "pro" },
  async prepare(input, context) {
    for (const check of checksOf(input, context)) await check()
    const account = await toNewAccount(input, context)
    return {
      mutations: [{ kind: "account.insert", account }],
      ...toCreated(account, context),
      answer: () => ({ ...toAccountOutput(account, context), keys: 0 }),
    }
  },
  recall: readAccount,
})
