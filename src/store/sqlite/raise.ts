import type { Database } from "bun:sqlite"
import { hasNoWebhook } from "../account-steps.ts"
import {
  creditsExhausted,
  exhaustedPercent,
  type NoticeRecord,
  type NoticeRules,
  thresholdReached,
} from "../outbox.ts"
import type { Charge } from "../store.ts"
import type { LedgerEntry } from "./ledger.ts"
import { selectNotice } from "./notice-rows.ts"

/** The parts of a charge that its notices depend on. */
export type RaisingCharge = Pick<Charge, "allowance" | "traceparent">

/** The parts of an account's entry that its notices depend on. */
export type ChargedEntry = Pick<LedgerEntry, "accountId" | "used" | "bonus" | "notified" | "periodStartMs">

/** Without a threshold, it is a notice of used up credits, which an account gets that has chosen it. */
const insertNotice = `
  INSERT INTO notices (id, account_id, type, data, period_start_ms, threshold, plan, used, allowance, traceparent, raised_ms, state,
    next_attempt_ms)
  SELECT $id, id, iif($threshold IS NULL, '${creditsExhausted}', '${thresholdReached}'), iif($threshold IS NULL, '{}', NULL),
    $periodStartMs, $threshold, plan, $used, $allowance, $traceparent, $nowMs,
    iif(${hasNoWebhook}, 'unsent', 'pending'), iif(${hasNoWebhook}, NULL, $nowMs)
  FROM accounts WHERE id = $accountId AND ($threshold IS NOT NULL OR events LIKE '%"${creditsExhausted}"%')
  ON CONFLICT DO NOTHING`

const none: readonly NoticeRecord[] = []

/**
 * Prepares a function to call in the transaction of a charge. It sets `notified` of the entry and returns the new notices: of
 * thresholds, unless the allowance is null (unlimited) or 0, and of credits that are used up.
 */
export function prepareRaise(
  database: Database,
  { thresholds, now }: NoticeRules,
): (entry: ChargedEntry, charge: RaisingCharge) => readonly NoticeRecord[] {
  const insert = database.query<unknown, Record<string, string | number | null>>(insertNotice)
  const find = database.query<NoticeRecord, [string]>(selectNotice)

  return (entry, { allowance, traceparent = null }) => {
    if (allowance === null) return none
    const { accountId, used, bonus, notified, periodStartMs } = entry
    const isReached = (threshold: number) => threshold > notified && used * 100 >= allowance * threshold
    const reached: (number | null)[] =
      allowance > 0 && thresholds.some(isReached) ? thresholds.filter(isReached) : []
    if (reached.length > 0) entry.notified = Math.max(...reached.map(Number))
    if (bonus === 0 && used >= allowance && entry.notified < exhaustedPercent) {
      entry.notified = exhaustedPercent
      reached.push(null)
    }
    if (reached.length === 0) return none
    const nowMs = now()
    return reached.flatMap((threshold) => {
      const id = noticeId(accountId, periodStartMs, threshold ?? creditsExhausted)
      const notice = { id, accountId, periodStartMs, threshold, used, allowance, traceparent, nowMs }
      return insert.run(notice).changes === 1 ? (find.get(id) ?? []) : []
    })
  }
}

/** The same notice always gets the same id, so two processes cannot raise it twice. */
function noticeId(accountId: string, periodStartMs: number, what: number | string): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${accountId} ${periodStartMs} ${what}`)
  return `msg_${hash.digest("hex").slice(0, 32)}`
}
