import { type Static, Type } from "@sinclair/typebox"
import { requireEmail } from "../../accounts/email.ts"
import { choice, nullableText } from "../../apis/contract.ts"
import { type MailRecord, mailStates, mailTemplates } from "../../store/admin-store.ts"
import { requireAccount } from "../accounts/account.ts"
import {
  accountId,
  countedListOf,
  email,
  instant,
  maybeInstant,
  maybeInteger,
  pageParameters,
  totalParameter,
} from "../fields.ts"
import { defineRead } from "../operation.ts"
import { readPage, withTotal } from "../pages.ts"
import { showBy } from "../show.ts"

/** A mail as operations answer it: without its text, since that has the link. */
const mailSchema = Type.Object({
  id: Type.String({ description: "The mail's id, with which its `Message-ID` begins." }),
  account: nullableText("The account that it is about; null for one that is not there yet."),
  address: Type.String({ description: "The address that it goes to." }),
  template: choice(mailTemplates, {
    description:
      "What it is: a link to sign in, to confirm an address or to accept an invitation, a word to the old address of an account, or a notice.",
  }),
  event: nullableText("The type of the event that a notice tells of; null for a link."),
  notice: nullableText("The id of the notice; null for a link."),
  raised: instant("When it was made."),
  expires: maybeInstant("When its link ends; null for a notice."),
  state: choice(mailStates, {
    description:
      "`unsent`: the service had no mail server, or the account wanted it no more; `expired`: its link was over before it could be sent.",
  }),
  attempts: Type.Integer({ description: "How often it was tried." }),
  next_attempt: maybeInstant("When it is tried next; null unless pending."),
  last_status: maybeInteger(
    "The mail server's last answer (RFC 5321), such as 250 or 550; null without one.",
  ),
  last_error: nullableText("The mail server's words, or why there are none; null if nothing went wrong."),
  delivered: maybeInstant("When the mail server took it; null if it did not."),
})

export const listMails = defineRead({
  id: "mails.list",
  title: "List mails",
  description:
    "Lists the mails of the service, newest first: to whom, whether the mail server took them, and its words. Links are not in it.",
  permission: "mails.read",
  path: "/mails",
  command: {
    words: "mails",
    example: "--address ann@example.com",
    empty: "No mails.",
    columns: [
      "id",
      "address",
      "template",
      "event",
      "raised",
      "state",
      "attempts",
      "last_status",
      "last_error",
    ],
    shortensIds: true,
  },
  input: Type.Object({
    account: Type.Optional({ ...accountId, description: "Only mails about this account." }),
    address: Type.Optional({ ...email, description: "Only mails to this address." }),
    state: Type.Optional(choice(mailStates, { description: "Only mails in this state." })),
    ...totalParameter,
    ...pageParameters,
  }),
  output: countedListOf(mailSchema),
  example: { state: "failed" },
  async read({ account, address, state, limit, after, total }, context) {
    if (account !== undefined) await requireAccount(context, account)
    const { admin } = context
    const recipient = address === undefined ? undefined : await requireEmail(address, "address")
    const filter = { accountId: account, recipient, state }
    const page = await readPage(
      "mails",
      { limit, after },
      (page) => admin.mails(filter, page),
      ({ raisedMs, id }) => [raisedMs, id],
      toMailOutput,
    )
    return withTotal(page, total, (most) => admin.countListed({ list: "mails", filter }, most))
  },
})

const show = showBy(mailSchema)

function toMailOutput(mail: MailRecord): Static<typeof mailSchema> {
  return show(mail, { address: mail.recipient, ...noticeOf(mail) })
}

/** The data of a notice stay with it; those of others have the link. */
function noticeOf({ template, data }: MailRecord): { event: string | null; notice: string | null } {
  if (template !== "notice" || data === null) return { event: null, notice: null }
  const { type, notice }: { readonly type?: string; readonly notice?: string } = JSON.parse(data)
  return { event: type ?? null, notice: notice ?? null }
}
