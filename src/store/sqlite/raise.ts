import type { Database } from "bun:sqlite"
import type { NoticeRecord, NoticeRules } from "../outbox.ts"
import { noticeColumns } from "./outbox-rows.ts"

/** An account's use of a month after a charge. */
export interface MonthUse {
  readonly accountId: string
  readonly used: number
  /** The highest threshold that has raised a notice this month, in percent; 0 without one. */
  readonly notified: number
  readonly periodStartMs: number
}

export interface Raised {
  /** The highest threshold reached, for the ledger. */
  readonly notified: number
  /** The notices that did not exist before. */
  readonly notices: readonly NoticeRecord[]
}

const insertNotice = `
  INSERT INTO notices (id, account_id, period_start_ms, threshold, plan, used, allowance, raised_ms, state, next_attempt_ms)
  SELECT $id, id, $periodStartMs, $threshold, plan, $used, $allowance, $nowMs,
    iif(webhook_url IS NULL OR webhook_gone_ms IS NOT NULL, 'unsent', 'pending'),
    iif(webhook_url IS NULL OR webhook_gone_ms IS NOT NULL, NULL, $nowMs)
  FROM accounts WHERE id = $accountId
  ON CONFLICT (account_id, period_start_ms, threshold) DO NOTHING`

/**
 * Prepares the raising of notices, to be called in the transaction of a charge. Gives null unless the charge reaches a new
 * threshold. An allowance of null (unlimited) or 0 has no thresholds.
 */
export function prepareRaise(
  database: Database,
  { thresholds, now }: Pick<NoticeRules, "thresholds" | "now">,
): (use: MonthUse, allowance: number | null) => Raised | null {
  const insert = database.query<unknown, Record<string, string | number>>(insertNotice)
  const find = database.query<NoticeRecord, [string]>(
    `SELECT ${noticeColumns} FROM notices JOIN accounts ON accounts.id = account_id WHERE notices.id = ?1`,
  )

  return ({ accountId, used, notified, periodStartMs }, allowance) => {
    if (!allowance) return null
    const isReached = (threshold: number) => threshold > notified && used * 100 >= allowance * threshold
    if (!thresholds.some(isReached)) return null

    const nowMs = now()
    const reached = thresholds.filter(isReached)
    const notices = reached.flatMap((threshold) => {
      const id = noticeId(accountId, periodStartMs, threshold)
      const { changes } = insert.run({ id, accountId, periodStartMs, threshold, used, allowance, nowMs })
      return changes === 1 ? (find.get(id) ?? []) : []
    })
    return { notified: Math.max(...reached), notices }
  }
}

/** The same notice always gets the same id, so two processes cannot raise it twice. */
function noticeId(accountId: string, periodStartMs: number, threshold: number): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${accountId} ${periodStartMs} ${threshold}`)
  return `msg_${hash.digest("hex").slice(0, 32)}`
}
