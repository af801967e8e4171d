import { type Static, Type } from "@sinclair/typebox"
import { nullable } from "../../apis/contract.ts"
import { toIso } from "../../values/time-text.ts"
import { requireAccount } from "../accounts/account.ts"
import { AdminFault } from "../fault.ts"
import { accountId, maybeInstant } from "../fields.ts"
import { defineRead } from "../operation.ts"
import type { AdminParts } from "../parts.ts"

/** An account's webhook as operations answer it, without its secret. */
export const webhookSchema = Type.Object({
  account: Type.String({ description: "The id of the account whose notices are sent." }),
  url: nullable(Type.String(), { description: "Where they are sent; null without a webhook." }),
  allow_private: Type.Boolean({ description: "Whether its host may have a private address." }),
  disabled: maybeInstant(
    "When its receiver answered 410 Gone, which disables it until it is set again; null otherwise.",
  ),
})

type WebhookOutput = Static<typeof webhookSchema>

/** The webhook of an account. */
export async function readWebhook(accountId: string, context: AdminParts): Promise<WebhookOutput> {
  await requireAccount(context, accountId)
  const webhook = await context.outbox.findWebhook(accountId)
  if (!webhook) return { account: accountId, url: null, allow_private: false, disabled: null }
  const { url, allowPrivate, goneMs } = webhook
  const disabled = toIso(goneMs)
  return { account: accountId, url, allow_private: allowPrivate, disabled }
}

/**
 * Returns the URL of an account's webhook.
 * @throws AdminFault when it has none, or its receiver is gone
 */
export async function requireWebhook(accountId: string, { outbox }: AdminParts): Promise<string> {
  const webhook = await outbox.findWebhook(accountId)
  if (webhook && webhook.goneMs === null) return webhook.url
  throw new AdminFault(
    "conflict",
    webhook
      ? `The webhook of account '${accountId}' is disabled, since its receiver answered 410 Gone. Set it again first.`
      : `Account '${accountId}' has no webhook. Set one first.`,
  )
}

export const getWebhook = defineRead({
  id: "webhooks.get",
  title: "Show a webhook",
  description: "Shows where an account's notices are sent, without the secret that signs them.",
  permission: "notices.read",
  path: "/accounts/{id}/webhook",
  command: { words: "account webhook", args: ["id"], example: "acc_1234567890abcdef" },
  portal: { account: "id" },
  input: Type.Object({ id: accountId }),
  output: webhookSchema,
  example: { id: "acc_1234567890abcdef" },
  read: ({ id }, context) => readWebhook(id, context),
})
