import { type Static, Type } from "@sinclair/typebox"
import { createWebhookSecret, requireWebhookUrl, webhookPlace } from "../../accounts/webhook.ts"
import { nullableText } from "../../apis/contract.ts"
import { toIso } from "../../values/time-text.ts"
import { requireAccount, requireOpenAccount, requireVersion } from "../accounts/account.ts"
import { conflict } from "../fault.ts"
import { accountId, maybeInstant, optionalFlag } from "../fields.ts"
import { defineChange, defineRead, secret } from "../operation.ts"
import type { AdminParts } from "../parts.ts"

/** An account's webhook as operations answer it, without its secret. */
const webhookSchema = Type.Object({
  account: Type.String({ description: "The id of the account whose notices are sent." }),
  url: nullableText("Where they are sent; null without a webhook."),
  allow_private: Type.Boolean({ description: "Whether its host may have a private address." }),
  disabled: maybeInstant(
    "When its receiver answered 410 Gone, which disables it until it is set again; null otherwise.",
  ),
})

const { account, url, ...otherFields } = webhookSchema.properties

type WebhookOutput = Static<typeof webhookSchema>

/** The webhook of an account. */
async function readWebhook(accountId: string, context: AdminParts): Promise<WebhookOutput> {
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
  throw conflict(
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
  read: ({ id }, context) => readWebhook(id, context),
})

const secretNote = "The secret is shown once, in the first answer to this request. It cannot be read again."

/** The fields of an audit record. */
function toRecord({ url, allow_private }: Pick<WebhookOutput, "url" | "allow_private">) {
  return { url: url && webhookPlace(url), allow_private }
}

/** How an account with a first webhook gets its notices, by how it got them before. */
const withWebhook = { webhook: "webhook", both: "both", mail: "both", none: "webhook" } as const

export const setWebhook = defineChange({
  id: "webhooks.set",
  title: "Set a webhook",
  description:
    "Sets where an account's notices are sent. Shows the secret that signs them; it is not shown again. An account without a webhook gets its notices there from now on, besides by mail if it had them by mail.",
  permission: "notices.write",
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
    allow_private: optionalFlag("Allow an address in a private network.", { default: false }),
  }),
  output: Type.Object({
    account,
    url,
    secret: secret(nullableText("The secret. Null when an answer is repeated.")),
    note: Type.String({ description: "That the secret is shown once." }),
    ...otherFields,
  }),
  async prepare({ id, url: text, allow_private: allowPrivate = false }, context) {
    const account = await requireOpenAccount(context, id)
    const isOperator = context.actor.account === null
    const ports = isOperator ? null : context.webhookPorts
    const url = requireWebhookUrl(text, { allowPrivate, allowLocal: isOperator, ports })
    const before = await readWebhook(id, context)
    const secret = createWebhookSecret(context.random)
    // A first webhook that got nothing but tests would be no use. Who sets another may have chosen that.
    const notify = before.url === null ? withWebhook[account.notify] : account.notify
    const isChosen = notify !== account.notify
    const { version } = account
    return {
      mutations: [
        ...(isChosen ? [{ kind: "account.update", id, version, set: { notify } } as const] : []),
        { kind: "webhook.set", accountId: id, webhook: { url, secret, allowPrivate } },
      ],
      target: { kind: "account", id, accountId: id },
      before: { ...toRecord(before), ...(isChosen && { notify: account.notify }) },
      after: { ...toRecord({ url, allow_private: allowPrivate }), ...(isChosen && { notify }) },
      answer: async () => ({ ...(await readWebhook(id, context)), secret, note: secretNote }),
    }
  },
  recall: async (id, context) => ({ ...(await readWebhook(id, context)), secret: null, note: secretNote }),
})

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
    const webhook = await readWebhook(id, context)
    if (webhook.url === null) throw conflict(`Account '${id}' has no webhook.`)
    return {
      mutations: [{ kind: "webhook.set", accountId: id, webhook: null }],
      target: { kind: "account", id, accountId: id },
      before: toRecord(webhook),
    }
  },
  recall: readWebhook,
})
