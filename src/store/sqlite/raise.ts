import type { Database } from "bun:sqlite"
import type { NoticeRecord, NoticeRules } from "../outbox.ts"
import type { LedgerEntry } from "./ledger.ts"
import { noticeColumns } from "./outbox-rows.ts"

export type ChargedEntry = Pick<LedgerEntry, "accountId" | "used" | "notified" | "periodStartMs">

const insertNotice = `
  INSERT INTO notices (id, account_id, period_start_ms, threshold, plan, used, allowance, raised_ms, state, next_attempt_ms)
  SELECT $id, id, $periodStartMs, $threshold, plan, $used, $allowance, $nowMs,
    iif(webhook_url IS NULL OR webhook_gone_ms IS NOT NULL, 'unsent', 'pending'),
    iif(webhook_url IS NULL OR webhook_gone_ms IS NOT NULL, NULL, $nowMs)
  FROM accounts WHERE id = $accountId
  ON CONFLICT (account_id, period_start_ms, threshold) DO NOTHING`

const none: readonly NoticeRecord[] = []

/**
 * Prepares a function to call in the transaction of a charge. It sets `notified` of the entry and returns the new notices.
 * An allowance of null (unlimited) or 0 has no thresholds.
 */
export function prepareRaise(
  database: Database,
  { thresholds, now }: Pick<NoticeRules, "thresholds" | "now">,
): (entry: ChargedEntry, allowance: number | null) => readonly NoticeRecord[] {
  const insert = database.query<unknown, Record<string, string | number>>(insertNotice)
  const find = database.query<NoticeRecord, [string]>(
    `SELECT ${noticeColumns} FROM notices JOIN accounts ON accounts.id = account_id WHERE notices.id = ?1`,
  )

  return (entry, allowance) => {
    if (!allowance) return none
    const { accountId, used, notified, periodStartMs } = entry
    const isReached = (threshold: number) => threshold > notified && used * 100 >= allowance * threshold
    if (!thresholds.some(isReached)) return none

    const nowMs = now()
    const reached = thresholds.filter(isReached)
    entry.notified = Math.max(...reached)
    return reached.flatMap((threshold) => {
      const id = noticeId(accountId, periodStartMs, threshold)
      const { changes } = insert.run({ id, accountId, periodStartMs, threshold, used, allowance, nowMs })
      return changes === 1 ? (find.get(id) ?? []) : []
    })
  }
}

/** The same notice always gets the same id, so two processes cannot raise it twice. */
function noticeId(accountId: string, periodStartMs: number, threshold: number): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${accountId} ${periodStartMs} ${threshold}`)
  return `msg_${hash.digest("hex").slice(0, 32)}`
}
