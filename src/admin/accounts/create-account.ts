import { Type } from "@sinclair/typebox"
import { requireEmail } from "../../accounts/email.ts"
import { createId } from "../../accounts/key.ts"
import { refuseHidden, requireNewAccount } from "../../accounts/requirements.ts"
import type { AccountDetails } from "../../store/admin-store.ts"
import { pick } from "../changed-fields.ts"
import { email, externalId, metadata, requireMetadata } from "../fields.ts"
import { defineChange } from "../operation.ts"
import { accountFields, accountSchema, readAccount, toAccountOutput } from "./account.ts"
import { eventsParameter } from "./events.ts"

export const createAccount = defineChange({
  id: "accounts.create",
  title: "Create an account",
  description: "Creates an account with a plan. Its bonus starts with the plan's sign-up bonus.",
  permission: "accounts.write",
  method: "POST",
  path: "/accounts",
  command: { words: "account create", makesStore: true, example: "--name Ann --plan pro" },
  input: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200, description: "The account's name." }),
    plan: Type.Optional(Type.String({ default: "free", maxLength: 100, description: "The account's plan." })),
    email: Type.Optional(email),
    external_id: Type.Optional(externalId),
    metadata: Type.Optional(metadata),
    events: Type.Optional(eventsParameter),
  }),
  output: accountSchema,
  status: 201,
  example: { name: "Ann", plan: "pro" },
  async prepare(input, context) {
    const { plans, clock, random } = context
    const plan = requireNewAccount(input.name, input.plan ?? "free", plans)
    if (input.external_id !== undefined) refuseHidden(input.external_id, "The external id", "external_id")
    const nowMs = clock.now()
    const account: AccountDetails = {
      id: createId("acc", random),
      name: input.name,
      plan: plan.name,
      createdMs: nowMs,
      closedMs: null,
      periodStartMs: nowMs,
      used: 0,
      bonus: plan.signUpBonus,
      version: 1,
      externalId: input.external_id ?? null,
      email: input.email === undefined ? null : await requireEmail(input.email),
      notify: "webhook",
      metadata: requireMetadata(input.metadata ?? {}),
      events: input.events ?? [],
      debt: 0,
    }
    const { id } = account
    return {
      mutations: [{ kind: "account.insert", account }],
      target: { kind: "account", id, accountId: id },
      before: null,
      after: pick(toAccountOutput(account, context), [...accountFields, "bonus"]),
      answer: () => ({ ...toAccountOutput(account, context), keys: 0 }),
    }
  },
  recall: readAccount,
})
