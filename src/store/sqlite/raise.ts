import type { Database } from "bun:sqlite"
import type { NoticeRecord } from "../outbox.ts"
import { type NoticeRow, noticeColumns, toNotice } from "./outbox-rows.ts"

/** What an account is told of its use of a month. */
export interface NoticeRules {
  /** Percents of the allowance, ascending. */
  readonly thresholds: readonly number[]
  readonly now: () => number
  /** Called once the charges that raised them are committed. Must not throw. */
  readonly onRaised: (notices: readonly NoticeRecord[]) => void
}

/** How a month stands after a charge. */
export interface Spent {
  readonly accountId: string
  readonly used: number
  /** The highest threshold already raised this month, as `ledger.notified` has it; 0 is none. */
  readonly notified: number
  readonly periodStartMs: number
}

/** A month has reached thresholds that it was not marked with. */
export interface Raised {
  /** The highest of them, which the ledger has to be marked with. */
  readonly notified: number
  /** Those that nobody had raised before. */
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
 * Prepares the raising of notices, to be called within the transaction of a charge. What it gives is only true once
 * that transaction is committed; null is that no further threshold is reached, which takes a comparison and nothing more.
 * An allowance of null is unlimited, and never reached.
 */
export function prepareRaise(
  database: Database,
  { thresholds, now }: Pick<NoticeRules, "thresholds" | "now">,
): (spent: Spent, allowance: number | null) => Raised | null {
  const insert = database.query<unknown, Record<string, string | number>>(insertNotice)
  const find = database.query<NoticeRow, [string]>(
    `SELECT ${noticeColumns} FROM notices JOIN accounts ON accounts.id = account_id WHERE notices.id = ?1`,
  )

  return ({ accountId, used, notified, periodStartMs }, allowance) => {
    if (!allowance) return null
    const reached = (threshold: number) => threshold > notified && used * 100 >= allowance * threshold
    if (!thresholds.some(reached)) return null

    const nowMs = now()
    const notices: NoticeRecord[] = []
    const due = thresholds.filter(reached)
    for (const threshold of due) {
      const id = noticeId(accountId, periodStartMs, threshold)
      const { changes } = insert.run({ id, accountId, periodStartMs, threshold, used, allowance, nowMs })
      const row = changes === 1 ? find.get(id) : null
      if (row) notices.push(toNotice(row))
    }
    return { notified: Math.max(...due), notices }
  }
}

/** Made of what the notice is about: it cannot be raised twice under two ids, and needs no randomness. */
function noticeId(accountId: string, periodStartMs: number, threshold: number): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${accountId} ${periodStartMs} ${threshold}`)
  return `msg_${hash.digest("hex").slice(0, 32)}`
}
