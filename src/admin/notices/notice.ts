import { type Static, Type } from "@sinclair/typebox"
import { periodAt } from "../../accounts/credits.ts"
import { noticeData } from "../../accounts/event-data.ts"
import { choice, nullable } from "../../apis/contract.ts"
import { type MailRecord, mailIdOf, mailStates } from "../../store/admin-store.ts"
import type { NoticeRecord } from "../../store/outbox.ts"
import { toIso } from "../../values/time-text.ts"
import { missing } from "../fault.ts"
import { idText, instant, maybeInstant, maybeInteger } from "../fields.ts"
import { oneTextForCustomers } from "../operation.ts"
import type { AdminParts } from "../parts.ts"
import { showBy } from "../show.ts"

/** An error tells what the service finds in the operator's network, so customers see only that there was one. */
function errorText(description: string) {
  return oneTextForCustomers(
    nullable(Type.String(), { description }),
    "It could not be delivered. Check the webhook: its name, its certificate, an answer within 10 s. By mail, check the e-mail address.",
  )
}

/** The store does not know `mailed`: there such a notice is `unsent`, and has a mail. */
export const noticeStates = ["pending", "delivered", "failed", "unsent", "mailed"] as const

/** A notice with its mail; null if it has none. */
type MailedNotice = NoticeRecord & { readonly mail: MailRecord | null }

/** A notice as operations answer it. */
export const noticeSchema = Type.Object({
  id: Type.String({ description: "The notice's id, the same at every attempt." }),
  account: Type.String({ description: "The account that gets it." }),
  type: Type.String({ description: "The type of the event." }),
  plan: Type.String({ description: "The account's plan when the notice was made." }),
  threshold: maybeInteger("Percent of the month's credits that were used; null for other events."),
  used: Type.Integer({ description: "Used credits of the month when the notice was made." }),
  allowance: maybeInteger("Credits of the month; null for events that are not about them."),
  data: nullable(Type.Record(Type.String(), Type.Unknown()), {
    description: "The data of another event; null for a threshold, whose data are fields of the notice.",
  }),
  period_start: instant("When the credit month began."),
  period_end: instant("When it ends."),
  raised: instant("When the notice was made."),
  state: choice(noticeStates, {
    description:
      "How far the delivery to the webhook is. `unsent`: there was no webhook, or it was removed before the delivery, and no mail; `mailed`: it goes by mail alone, and `mail_state` says how far that is.",
  }),
  mail_state: nullable(choice(mailStates, { description: "A state." }), {
    description: "How far its mail is; null without one.",
  }),
  attempts: Type.Integer({ description: "How often it was tried: of a `mailed` one, by mail." }),
  next_attempt: maybeInstant("When it is tried next; null unless pending."),
  last_status: maybeInteger(
    "HTTP status of the last attempt; of a `mailed` one, the mail server's answer. Null without an answer.",
  ),
  last_error: errorText("What went wrong at the last attempt; null if nothing."),
  delivered: maybeInstant("When it was delivered; null if it was not."),
})

/** An attempt to deliver a notice as operations answer it. */
export const attemptSchema = Type.Object({
  notice: Type.String({ description: "The notice's id." }),
  attempt: Type.Integer({ description: "1 for the first." }),
  at: instant("When it began."),
  duration_ms: Type.Integer({ description: "How long it took, in milliseconds." }),
  status: maybeInteger("HTTP status; null without an answer."),
  error: errorText("What went wrong; null if nothing."),
})

export const noticeId = idText("The notice's id, which starts with `msg_`.")

type NoticeOutput = Static<typeof noticeSchema>
const showNotice = showBy(noticeSchema)

/** A notice as operations show it. */
export function toNoticeOutput({ mail, ...notice }: MailedNotice): NoticeOutput {
  const { startMs, endMs } = periodAt(notice.accountCreatedMs, notice.periodStartMs)
  const isMailed = mail !== null && notice.state === "unsent"
  const { attempts, nextAttemptMs, lastStatus, lastError, deliveredMs } = isMailed ? mail : notice
  return showNotice(
    { ...notice, attempts, nextAttemptMs, lastStatus, lastError, deliveredMs },
    {
      data: notice.threshold === null ? { ...noticeData(notice) } : null,
      period_start: toIso(startMs),
      period_end: toIso(endMs),
      state: isMailed ? "mailed" : notice.state,
      mail_state: mail?.state ?? null,
    },
  )
}

/** Notices with their mails. */
export async function withMails(
  notices: readonly NoticeRecord[],
  { admin }: Pick<AdminParts, "admin">,
): Promise<readonly MailedNotice[]> {
  if (notices.length === 0) return []
  const mails = await admin.mailsById(notices.map(({ id }) => mailIdOf(id)))
  const byId = new Map(mails.map((mail) => [mail.id, mail]))
  return notices.map((notice) => ({ ...notice, mail: byId.get(mailIdOf(notice.id)) ?? null }))
}

/** An attempt as operations show it. */
export const toAttemptOutput = showBy(attemptSchema)

/** @throws AdminFault when there is no such notice */
export async function requireNotice({ admin }: AdminParts, id: string): Promise<NoticeRecord> {
  return (await admin.findNotice(id)) ?? missing("notice", id)
}

/** Reads a notice for an answer. */
export async function readNotice(id: string, context: AdminParts): Promise<NoticeOutput> {
  const [notice] = await withMails([await requireNotice(context, id)], context)
  return toNoticeOutput(notice ?? missing("notice", id))
}
