import { Type } from "@sinclair/typebox"
import { accountId } from "../fields.ts"
import { defineOperation } from "../operation.ts"
import { readWebhook, webhookSchema } from "./webhook.ts"

export const getWebhook = defineOperation({
  id: "webhooks.get",
  title: "Show a webhook",
  description: "Shows where an account's notices are sent, without the secret that signs them.",
  permission: "notices.read",
  method: "GET",
  path: "/accounts/{id}/webhook",
  command: { words: "account webhook", args: ["id"], example: "acc_1234567890abcdef" },
  portal: { account: "id" },
  input: Type.Object({ id: accountId }),
  output: webhookSchema,
  example: { id: "acc_1234567890abcdef" },
  run: { kind: "read", read: ({ id }, context) => readWebhook(id, context) },
})
