import { Type } from "@sinclair/typebox"
import { choice } from "../../apis/contract.ts"
import { requireAccount } from "../accounts/account.ts"
import { accountId, listOf, pageParameters } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { readPage } from "../pages.ts"
import { noticeSchema, noticeStates, toNoticeOutput } from "./notice.ts"

export const listNotices = defineRead({
  id: "notices.list",
  title: "List notices",
  description: "Lists the notices to the webhooks of accounts, newest first.",
  permission: "notices.read",
  path: "/notices",
  command: {
    words: "notices",
    example: "--account acc_1234567890abcdef",
    empty: "No notices.",
    columns: [
      "id",
      "account",
      "type",
      "threshold",
      "raised",
      "state",
      "attempts",
      "last_status",
      "last_error",
    ],
  },
  portal: { account: "account" },
  input: Type.Object({
    account: Type.Optional({ ...accountId, description: "Only the notices of this account." }),
    state: Type.Optional(choice(noticeStates, { description: "Only notices in this state." })),
    ...pageParameters,
  }),
  output: listOf(noticeSchema),
  example: { state: "failed" },
  async read({ account, state, limit, after }, context) {
    if (account !== undefined) await requireAccount(context, account)
    return readPage(
      "notices",
      { limit, after },
      (page) => context.admin.notices({ accountId: account, state }, page),
      ({ raisedMs, id }) => [raisedMs, id],
      toNoticeOutput,
    )
  },
})
