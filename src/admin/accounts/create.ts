import { Type } from "@sinclair/typebox"
import { requireNewAccount } from "../../accounts/accounts.ts"
import { createId } from "../../accounts/key.ts"
import type { AccountDetails } from "../../store/admin-store.ts"
import { externalId, metadata } from "../fields.ts"
import { requireMetadata } from "../metadata.ts"
import { defineOperation } from "../operation.ts"
import { accountSchema, readAccount, toAccountOutput } from "./account.ts"
import { eventsParameter } from "./events.ts"

export const createAccount = defineOperation({
  id: "accounts.create",
  title: "Create an account",
  description: "Creates an account with a plan. Its bonus starts with the plan's sign-up bonus.",
  permission: "accounts.write",
  method: "POST",
  path: "/accounts",
  command: { words: "account create", example: "--name Ann --plan pro" },
  input: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200, description: "The account's name." }),
    plan: Type.Optional(Type.String({ default: "free", maxLength: 100, description: "The account's plan." })),
    external_id: Type.Optional(externalId),
    metadata: Type.Optional(metadata),
    events: Type.Optional(eventsParameter),
  }),
  output: accountSchema,
  status: 201,
  example: { name: "Ann", plan: "pro" },
  run: {
    kind: "change",
    async prepare(input, context) {
      const { plans, clock, random } = context
      const plan = requireNewAccount(input.name, input.plan ?? "free", plans)
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
        metadata: requireMetadata(input.metadata ?? {}),
        events: input.events ?? [],
      }
      const { id, name, externalId } = account
      return {
        mutations: [{ kind: "account.insert", account }],
        target: { kind: "account", id, accountId: id },
        before: null,
        after: { name, plan: plan.name, bonus: plan.signUpBonus, external_id: externalId },
        answer: () => toAccountOutput(account, context),
      }
    },
    recall: readAccount,
  },
})
