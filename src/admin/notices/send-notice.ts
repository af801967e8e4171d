import { type Static, Type } from "@sinclair/typebox"
import { createId } from "../../accounts/key.ts"
import { webhookPlace } from "../../accounts/webhook.ts"
import { requireOpenAccount } from "../accounts/account.ts"
import { conflict } from "../fault.ts"
import { accountId } from "../fields.ts"
import { defineChange } from "../operation.ts"
import type { AdminParts } from "../parts.ts"
import { requireWebhook } from "../webhooks/webhook.ts"
import { noticeId, noticeSchema, readNotice, requireNotice } from "./notice.ts"

const output = Type.Object({
  id: Type.String({ description: "The notice's id. List its attempts to see how it was delivered." }),
  account: Type.String({ description: "The account whose webhook gets it." }),
  type: Type.String({ description: "The type of the event: `test`." }),
  state: Type.String({ description: "Whether it was delivered." }),
})

export const testWebhook = defineChange({
  id: "notices.test",
  title: "Send a test event",
  description: "Sends an event of the type `test` to an account's webhook, signed like every other.",
  permission: "notices.write",
  path: "/accounts/{id}/webhook/test",
  command: { words: "notices test", args: ["id"], example: "acc_1234567890abcdef" },
  portal: { account: "id", action: "webhook" },
  input: Type.Object({ id: accountId }),
  output,
  status: 201,
  async prepare({ id: accountId }, context) {
    await requireOpenAccount(context, accountId)
    const url = await requireWebhook(accountId, context)
    const nowMs = context.clock.now()
    const id = createId("msg", context.random)
    const data = JSON.stringify({ account: accountId })
    return {
      mutations: [{ kind: "notice.insert", id, accountId, type: "test", data, nowMs }],
      target: { kind: "notice", id, accountId },
      after: { type: "test", url: webhookPlace(url) },
    }
  },
  recall: readTest,
})

async function readTest(id: string, context: AdminParts): Promise<Static<typeof output>> {
  const { accountId, type, state } = await requireNotice(context, id)
  return { id, account: accountId, type, state }
}

export const resendNotice = defineChange({
  id: "notices.resend",
  title: "Send a notice again",
  description: "Sends a notice again that was delivered, failed or was not sent. Its id stays the same.",
  permission: "notices.write",
  path: "/notices/{id}/resend",
  command: { words: "notices resend", args: ["id"], example: "msg_1234567890abcdef" },
  input: Type.Object({ id: noticeId }),
  output: noticeSchema,
  async prepare({ id }, context) {
    const { state, accountId } = await requireNotice(context, id)
    if (state === "pending") throw conflict(`Notice '${id}' is being sent already.`)
    await requireWebhook(accountId, context)
    return {
      mutations: [{ kind: "notice.resend", id, nowMs: context.clock.now() }],
      target: { kind: "notice", id, accountId },
      before: { state },
      after: { state: "pending" },
    }
  },
  recall: readNotice,
})
