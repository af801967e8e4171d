import { Type } from "@sinclair/typebox"
import { choice } from "../../apis/contract.ts"
import { requireAccount } from "../accounts/account.ts"
import { accountId, countedListOf, listOf, pageParameters, totalParameter } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { readPage, withTotal } from "../pages.ts"
import {
  attemptSchema,
  noticeId,
  noticeSchema,
  noticeStates,
  requireNotice,
  toAttemptOutput,
  toNoticeOutput,
  withMails,
} from "./notice.ts"

export const listNotices = defineRead({
  id: "notices.list",
  title: "List notices",
  description:
    "Lists the notices to accounts, newest first, and how they were delivered: to the webhook, by mail, or both.",
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
      "mail_state",
      "attempts",
      "last_status",
      "last_error",
    ],
  },
  portal: { account: "account" },
  input: Type.Object({
    account: Type.Optional({ ...accountId, description: "Only the notices of this account." }),
    state: Type.Optional(choice(noticeStates, { description: "Only notices in this state." })),
    ...totalParameter,
    ...pageParameters,
  }),
  output: countedListOf(noticeSchema),
  example: { state: "failed" },
  async read({ account, state, limit, after, total }, context) {
    if (account !== undefined) await requireAccount(context, account)
    const { admin } = context
    const filter = { accountId: account, state }
    const page = await readPage(
      "notices",
      { limit, after },
      async (page) => withMails(await admin.notices(filter, page), context),
      ({ raisedMs, id }) => [raisedMs, id],
      toNoticeOutput,
    )
    return withTotal(page, total, (most) => admin.countListed({ list: "notices", filter }, most))
  },
})

export const listAttempts = defineRead({
  id: "notices.attempts",
  title: "List delivery attempts",
  description: "Lists the attempts to deliver notices, newest first.",
  permission: "notices.read",
  path: "/notices/attempts",
  command: {
    words: "notices",
    switch: "log",
    example: "--log --account acc_1234567890abcdef",
    empty: "No delivery attempts.",
  },
  portal: { account: "account", notice: "notice" },
  input: Type.Object({
    account: Type.Optional({ ...accountId, description: "Only attempts for notices of this account." }),
    notice: Type.Optional({ ...noticeId, description: "Only attempts for this notice." }),
    ...pageParameters,
  }),
  output: listOf(attemptSchema),
  example: { account: "acc_1234567890abcdef" },
  async read({ account, notice, limit, after }, context) {
    if (account !== undefined) await requireAccount(context, account)
    if (notice !== undefined) await requireNotice(context, notice)
    return readPage(
      "attempts",
      { limit, after },
      (page) => context.admin.noticeAttempts({ accountId: account, noticeId: notice }, page),
      ({ atMs, noticeId, attempt }) => [atMs, noticeId, attempt],
      (attempt) => toAttemptOutput(attempt),
    )
  },
})
