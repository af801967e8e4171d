import type { Database } from "bun:sqlite"
import type { Charge, ChargeOutcome } from "../store.ts"

/** What the month still gives, after a renewal that this charge may bring; the CHECKs of the table guard the rest. */
const used = "iif($periodStartMs > period_start_ms, 0, used)"
const monthlyLeft = `max(0, $allowance - ${used})`
const fromMonth = `iif($allowance IS NULL, $credits, min($credits, ${monthlyLeft}))`

/**
 * The charging statement: monthly credits first, then the bonus, or nothing at all when both together do not cover it.
 * One statement decides and writes, so no other process can come between. A month is renewed at most once, because
 * the stored start only ever moves forward.
 */
const chargeAccount = `
  UPDATE accounts SET
    used = ${used} + ${fromMonth},
    bonus = bonus - ($credits - ${fromMonth}),
    period_start_ms = max(period_start_ms, $periodStartMs)
  WHERE id = $accountId AND closed_ms IS NULL
    AND ($allowance IS NULL OR $credits <= ${monthlyLeft} + bonus)
  RETURNING used, bonus, period_start_ms AS periodStartMs`

const bookUsage = `
  INSERT INTO usage (account_id, day, api, calls, credits) VALUES ($accountId, $day, $api, $calls, $credits)
  ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`

interface ChargedRow {
  used: number
  bonus: number
  periodStartMs: number
}

/** Prepares `charge` of the store: a list of charges in one transaction, each decided on its own, in order. */
export function prepareCharges(database: Database): (charges: readonly Charge[]) => readonly ChargeOutcome[] {
  const debit = database.query<ChargedRow, Record<string, string | number | null>>(chargeAccount)
  const book = database.query<unknown, Record<string, string | number | null>>(bookUsage)

  function decide(charge: Charge): ChargeOutcome {
    const { accountId, day, api, calls, credits, allowance, periodStartMs } = charge
    const row = debit.get({ accountId, credits, allowance, periodStartMs })
    if (row === null) return { charged: false }
    book.run({ accountId, day, api, calls, credits })
    return { charged: true, ...row }
  }

  return database.transaction((charges: readonly Charge[]) => charges.map(decide)).immediate
}
