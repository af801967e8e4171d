import { Type } from "@sinclair/typebox"
import { externalId, listOf, pageParameters } from "../fields.ts"
import { defineOperation } from "../operation.ts"
import { readPage } from "../pages.ts"
import { accountSchema, toAccountOutput } from "./account.ts"

export const listAccounts = defineOperation({
  id: "accounts.list",
  title: "List accounts",
  description: "Lists accounts with their balances, oldest first.",
  permission: "accounts.read",
  method: "GET",
  path: "/accounts",
  command: {
    words: "account list",
    example: "--plan pro",
    empty: "No accounts. Create one with 'account create'.",
    columns: ["id", "name", "plan", "used", "remaining", "used_percent", "created", "closed", "problem"],
  },
  input: Type.Object({
    plan: Type.Optional(Type.String({ maxLength: 100, description: "Only accounts of this plan." })),
    external_id: Type.Optional(externalId),
    closed: Type.Optional(Type.Boolean({ description: "Only closed accounts, or only open ones." })),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "Only accounts with this in their name, or whose id begins with it.",
      }),
    ),
    ...pageParameters,
  }),
  output: listOf(accountSchema),
  example: { plan: "pro" },
  run: {
    kind: "read",
    read: ({ plan, external_id, closed, search, limit, after }, context) =>
      readPage(
        { limit, after },
        (page) => context.admin.accounts({ plan, externalId: external_id, closed, search }, page),
        ({ createdMs, id }) => [createdMs, id],
        (account) => toAccountOutput(account, context),
      ),
  },
})
