import { Type } from "@sinclair/typebox"
import { createWebhookSecret, requireWebhookUrl } from "../../accounts/webhook.ts"
import { nullable } from "../../apis/contract.ts"
import { requireOpenAccount } from "../accounts/account.ts"
import { pick } from "../changed-fields.ts"
import { accountId } from "../fields.ts"
import { defineChange, secret } from "../operation.ts"
import { readWebhook, webhookSchema } from "./webhook.ts"

const { account, url, ...otherFields } = webhookSchema.properties
const secretNote = "The secret is shown once, in the first answer to this request. It cannot be read again."
const webhookFields = ["url", "allow_private"]

export const setWebhook = defineChange({
  id: "webhooks.set",
  title: "Set a webhook",
  description:
    "Sets where an account's notices are sent. Shows the secret that signs them; it is not shown again.",
  permission: "notices.write",
  method: "POST",
  path: "/accounts/{id}/webhook",
  command: {
    words: "account set-webhook",
    args: ["id", "url"],
    example: "acc_1234567890abcdef https://example.com/hook",
  },
  portal: { account: "id", parameters: ["id", "url"], action: "webhook" },
  input: Type.Object({
    id: accountId,
    url: Type.String({ minLength: 1, maxLength: 2_000, description: "https, or http on localhost." }),
    allow_private: Type.Optional(
      Type.Boolean({ default: false, description: "Allow an address in a private network." }),
    ),
  }),
  output: Type.Object({
    account,
    url,
    secret: secret(nullable(Type.String(), { description: "The secret. Null when an answer is repeated." })),
    note: Type.String({ description: "That the secret is shown once." }),
    ...otherFields,
  }),
  example: { id: "acc_1234567890abcdef", url: "https://example.com/hook" },
  async prepare({ id, url: text, allow_private: allowPrivate = false }, context) {
    await requireOpenAccount(context, id)
    const url = requireWebhookUrl(text, { allowPrivate, allowLocal: context.actor.account === null })
    const before = await readWebhook(id, context)
    const secret = createWebhookSecret(context.random)
    return {
      mutations: [{ kind: "webhook.set", accountId: id, webhook: { url, secret, allowPrivate } }],
      target: { kind: "account", id, accountId: id },
      before: pick(before, webhookFields),
      after: { url, allow_private: allowPrivate },
      answer: async () => ({ ...(await readWebhook(id, context)), secret, note: secretNote }),
    }
  },
  recall: async (id, context) => ({ ...(await readWebhook(id, context)), secret: null, note: secretNote }),
})
