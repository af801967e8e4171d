import { Type } from "@sinclair/typebox"
import { requireAccount, requireVersion } from "../accounts/account.ts"
import { AdminFault } from "../fault.ts"
import { accountId } from "../fields.ts"
import { defineChange } from "../operation.ts"
import { readWebhook, webhookSchema } from "./webhook.ts"

export const deleteWebhook = defineChange({
  id: "webhooks.delete",
  title: "Remove a webhook",
  description: "Removes an account's webhook. Its pending notices are not sent.",
  permission: "notices.write",
  method: "DELETE",
  path: "/accounts/{id}/webhook",
  command: {
    words: "account set-webhook",
    switch: "off",
    args: ["id"],
    example: "acc_1234567890abcdef --off",
  },
  portal: { account: "id", action: "webhook" },
  input: Type.Object({ id: accountId }),
  output: webhookSchema,
  isFinal: true,
  example: { id: "acc_1234567890abcdef" },
  async prepare({ id }, context) {
    requireVersion(await requireAccount(context, id), context)
    const { url, allow_private } = await readWebhook(id, context)
    if (url === null) throw new AdminFault("conflict", `Account '${id}' has no webhook.`)
    return {
      mutations: [{ kind: "webhook.set", accountId: id, webhook: null }],
      target: { kind: "account", id, accountId: id },
      before: { url, allow_private },
      after: null,
      answer: () => readWebhook(id, context),
    }
  },
  recall: readWebhook,
})
