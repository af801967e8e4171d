import { type Static, Type } from "@sinclair/typebox"
import { noticeData } from "../../accounts/notice-data.ts"
import { periodAt } from "../../accounts/period.ts"
import { choice, nullable } from "../../apis/contract.ts"
import type { AttemptRecord, NoticeRecord } from "../../store/outbox.ts"
import { toIso } from "../../values/time-text.ts"
import { noSuch } from "../fault.ts"
import { idText, instant, maybeInstant } from "../fields.ts"
import { oneTextForCustomers } from "../operation.ts"
import type { AdminParts } from "../parts.ts"

/** An error tells what the service finds in the operator's network, so customers see only that there was one. */
function errorText(description: string) {
  return oneTextForCustomers(
    nullable(Type.String(), { description }),
    "The webhook could not be reached. Check its name, its certificate, and that it answers within 10 s.",
  )
}

export const noticeStates = ["pending", "delivered", "failed", "unsent"] as const

/** A notice as operations answer it. */
export const noticeSchema = Type.Object({
  id: Type.String({ description: "The notice's id, the same at every attempt." }),
  account: Type.String({ description: "The account whose webhook gets it." }),
  type: Type.String({ description: "The type of the event." }),
  plan: Type.String({ description: "The account's plan when the notice was made." }),
  threshold: nullable(Type.Integer(), {
    description: "Percent of the month's credits that were used; null for other events.",
  }),
  used: Type.Integer({ description: "Used credits of the month when the notice was made." }),
  allowance: nullable(Type.Integer(), {
    description: "Credits of the month; null for events that are not about them.",
  }),
  data: nullable(Type.Record(Type.String(), Type.Unknown()), {
    description: "The data of another event; null for a threshold, whose data are fields of the notice.",
  }),
  period_start: instant("When the credit month began."),
  period_end: instant("When it ends."),
  raised: instant("When the notice was made."),
  state: choice(noticeStates, {
    description: "`unsent`: the account had no webhook, or its webhook was removed before the delivery.",
  }),
  attempts: Type.Integer({ description: "How often it was tried." }),
  next_attempt: maybeInstant("When it is tried next; null unless pending."),
  last_status: nullable(Type.Integer(), {
    description: "HTTP status of the last attempt; null without an answer.",
  }),
  last_error: errorText("What went wrong at the last attempt; null if nothing."),
  delivered: maybeInstant("When it was delivered; null if it was not."),
})

/** An attempt to deliver a notice as operations answer it. */
export const attemptSchema = Type.Object({
  notice: Type.String({ description: "The notice's id." }),
  attempt: Type.Integer({ description: "1 for the first." }),
  at: instant("When it began."),
  duration_ms: Type.Integer({ description: "How long it took, in milliseconds." }),
  status: nullable(Type.Integer(), { description: "HTTP status; null without an answer." }),
  error: errorText("What went wrong; null if nothing."),
})

export const noticeId = idText("The notice's id, which starts with `msg_`.")

type NoticeOutput = Static<typeof noticeSchema>

/** A notice as operations show it. */
export function toNoticeOutput(notice: NoticeRecord): NoticeOutput {
  const { startMs, endMs } = periodAt(notice.accountCreatedMs, notice.periodStartMs)
  return {
    id: notice.id,
    account: notice.accountId,
    type: notice.type,
    plan: notice.plan,
    threshold: notice.threshold,
    used: notice.used,
    allowance: notice.allowance,
    data: notice.threshold === null ? { ...noticeData(notice) } : null,
    period_start: toIso(startMs),
    period_end: toIso(endMs),
    raised: toIso(notice.raisedMs),
    state: notice.state,
    attempts: notice.attempts,
    next_attempt: toIso(notice.nextAttemptMs),
    last_status: notice.lastStatus,
    last_error: notice.lastError,
    delivered: toIso(notice.deliveredMs),
  }
}

/** An attempt as operations show it. */
export function toAttemptOutput(record: AttemptRecord): Static<typeof attemptSchema> {
  const { noticeId, attempt, atMs, durationMs, status, error } = record
  return { notice: noticeId, attempt, at: toIso(atMs), duration_ms: durationMs, status, error }
}

/** @throws AdminFault when there is no such notice */
export async function requireNotice({ admin }: AdminParts, id: string): Promise<NoticeRecord> {
  const notice = await admin.findNotice(id)
  if (notice) return notice
  throw noSuch("notice", id)
}

/** Reads a notice for an answer. */
export async function readNotice(id: string, context: AdminParts): Promise<NoticeOutput> {
  return toNoticeOutput(await requireNotice(context, id))
}
