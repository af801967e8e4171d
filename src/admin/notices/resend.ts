import { Type } from "@sinclair/typebox"
import { AdminFault } from "../fault.ts"
import { defineChange } from "../operation.ts"
import { requireWebhook } from "../webhooks/webhook.ts"
import { noticeId, noticeSchema, readNotice, requireNotice } from "./notice.ts"

export const resendNotice = defineChange({
  id: "notices.resend",
  title: "Send a notice again",
  description: "Sends a notice again that was delivered, failed or was not sent. Its id stays the same.",
  permission: "notices.write",
  method: "POST",
  path: "/notices/{id}/resend",
  command: { words: "notices resend", args: ["id"], example: "msg_1234567890abcdef" },
  input: Type.Object({ id: noticeId }),
  output: noticeSchema,
  example: { id: "msg_1234567890abcdef" },
  async prepare({ id }, context) {
    const { state, accountId } = await requireNotice(context, id)
    if (state === "pending") throw new AdminFault("conflict", `Notice '${id}' is being sent already.`)
    await requireWebhook(accountId, context)
    return {
      mutations: [{ kind: "notice.resend", id, nowMs: context.clock.now() }],
      target: { kind: "notice", id, accountId },
      before: { state },
      after: { state: "pending" },
      answer: () => readNotice(id, context),
    }
  },
  recall: readNotice,
})
