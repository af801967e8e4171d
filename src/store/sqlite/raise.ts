import type { Database } from "bun:sqlite"
import { creditsExhausted, exhaustedPercent, type NoticeRecord, type NoticeRules } from "../outbox.ts"
import type { Charge } from "../store.ts"
import type { LedgerEntry } from "./ledger.ts"
import { noticeColumns } from "./outbox-rows.ts"

/** What of a charge its notices depend on. */
export type RaisingCharge = Pick<Charge, "allowance" | "traceparent">

export type ChargedEntry = Pick<LedgerEntry, "accountId" | "used" | "bonus" | "notified" | "periodStartMs">

const insertNotice = `
  INSERT INTO notices (id, account_id, period_start_ms, threshold, plan, used, allowance, traceparent, raised_ms, state, next_attempt_ms)
  SELECT $id, id, $periodStartMs, $threshold, plan, $used, $allowance, $traceparent, $nowMs,
    iif(webhook_url IS NULL OR webhook_gone_ms IS NOT NULL, 'unsent', 'pending'),
    iif(webhook_url IS NULL OR webhook_gone_ms IS NOT NULL, NULL, $nowMs)
  FROM accounts WHERE id = $accountId
  ON CONFLICT (account_id, period_start_ms, threshold) DO NOTHING`

const insertExhausted = `
  INSERT INTO notices (id, account_id, type, data, period_start_ms, plan, used, allowance, traceparent, raised_ms, state, next_attempt_ms)
  SELECT $id, id, '${creditsExhausted}', '{}', $periodStartMs, plan, $used, $allowance, $traceparent, $nowMs,
    iif(webhook_url IS NULL OR webhook_gone_ms IS NOT NULL, 'unsent', 'pending'),
    iif(webhook_url IS NULL OR webhook_gone_ms IS NOT NULL, NULL, $nowMs)
  FROM accounts WHERE id = $accountId AND events LIKE '%"${creditsExhausted}"%'
  ON CONFLICT (id) DO NOTHING`

const none: readonly NoticeRecord[] = []

/**
 * Prepares a function to call in the transaction of a charge. It sets `notified` of the entry and returns the new notices: of
 * thresholds, unless the allowance is null (unlimited) or 0, and of credits that are used up.
 */
export function prepareRaise(
  database: Database,
  { thresholds, now }: Pick<NoticeRules, "thresholds" | "now">,
): (entry: ChargedEntry, charge: RaisingCharge) => readonly NoticeRecord[] {
  const insert = database.query<unknown, Record<string, string | number | null>>(insertNotice)
  const insertUsedUp = database.query<unknown, Record<string, string | number | null>>(insertExhausted)
  const find = database.query<NoticeRecord, [string]>(
    `SELECT ${noticeColumns} FROM notices JOIN accounts ON accounts.id = account_id WHERE notices.id = ?1`,
  )
  const findIf = (changes: number, id: string) => (changes === 1 ? (find.get(id) ?? []) : [])

  function raiseThresholds(
    entry: ChargedEntry,
    allowance: number,
    traceparent: string | null,
  ): readonly NoticeRecord[] {
    const { accountId, used, notified, periodStartMs } = entry
    const isReached = (threshold: number) => threshold > notified && used * 100 >= allowance * threshold
    if (!thresholds.some(isReached)) return none

    const nowMs = now()
    const reached = thresholds.filter(isReached)
    entry.notified = Math.max(...reached)
    return reached.flatMap((threshold) => {
      const id = noticeId(accountId, periodStartMs, threshold)
      return findIf(
        insert.run({ id, accountId, periodStartMs, threshold, used, allowance, traceparent, nowMs }).changes,
        id,
      )
    })
  }

  function raiseExhausted(
    entry: ChargedEntry,
    allowance: number,
    traceparent: string | null,
  ): readonly NoticeRecord[] {
    const { accountId, used, periodStartMs } = entry
    entry.notified = exhaustedPercent
    const id = noticeId(accountId, periodStartMs, creditsExhausted)
    const { changes } = insertUsedUp.run({
      id,
      accountId,
      periodStartMs,
      used,
      allowance,
      traceparent,
      nowMs: now(),
    })
    return [findIf(changes, id)].flat()
  }

  return (entry, { allowance, traceparent = null }) => {
    if (allowance === null) return none
    const raised = allowance > 0 ? raiseThresholds(entry, allowance, traceparent) : none
    const isExhausted = entry.bonus === 0 && entry.used >= allowance && entry.notified < exhaustedPercent
    return isExhausted ? [...raised, ...raiseExhausted(entry, allowance, traceparent)] : raised
  }
}

/** The same notice always gets the same id, so two processes cannot raise it twice. */
function noticeId(accountId: string, periodStartMs: number, what: number | string): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${accountId} ${periodStartMs} ${what}`)
  return `msg_${hash.digest("hex").slice(0, 32)}`
}
