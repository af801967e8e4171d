import type { Database } from "bun:sqlite"
import type { NoticeRecord } from "../outbox.ts"
import type { Charge, ChargeOutcome } from "../store.ts"
import type { Ledger, LedgerEntry } from "./ledger.ts"
import { type NoticeRules, prepareRaise } from "./raise.ts"

/**
 * Prepares `charge` of the store: a list of charges in one transaction, each decided on its own, in order. An account's row is
 * read and written once, or only written.
 */
export function prepareCharges(
  database: Database,
  ledger: Ledger,
  rules: NoticeRules,
): (charges: readonly Charge[]) => readonly ChargeOutcome[] {
  const raise = prepareRaise(database, rules)
  let raised: NoticeRecord[] = []

  function chargeOne(entry: LedgerEntry, { items, allowance, periodStartMs, day }: Charge): ChargeOutcome {
    const credits = items.reduce((sum, item) => sum + item.credits, 0)
    const isRenewed = periodStartMs > entry.periodStartMs
    const used = isRenewed ? 0 : entry.used
    const monthlyLeft = allowance === null ? Number.POSITIVE_INFINITY : Math.max(0, allowance - used)
    if (credits > monthlyLeft + entry.bonus) return refused

    // The month that pays is not always the one that the charge asked for; a stored start only ever moves forward.
    if (isRenewed || entry.day !== day) ledger.closeDay(entry)
    if (isRenewed) Object.assign(entry, { periodStartMs, notified: 0 })
    entry.day = day
    // Monthly credits first, then the bonus.
    const fromMonth = Math.min(credits, monthlyLeft)
    entry.used = used + fromMonth
    entry.bonus -= credits - fromMonth
    ledger.book(entry, items)
    const reached = raise(entry, allowance)
    if (reached) {
      entry.notified = reached.notified
      raised.push(...reached.notices)
    }
    return { charged: true, used: entry.used, bonus: entry.bonus, periodStartMs: entry.periodStartMs }
  }

  function chargeAll(charges: readonly Charge[]): readonly ChargeOutcome[] {
    raised = []
    const changed = new Set<LedgerEntry>()
    const outcomes = charges.map((charge) => {
      const entry = ledger.read(charge.accountId)
      if (entry === null || entry.closedMs !== null) return refused
      const outcome = chargeOne(entry, charge)
      if (outcome.charged) changed.add(entry)
      return outcome
    })
    for (const entry of changed) ledger.write(entry)
    return outcomes
  }

  return (charges) => {
    const outcomes = ledger.transact(() => chargeAll(charges))
    if (raised.length > 0) rules.onRaised(raised)
    return outcomes
  }
}

const refused: ChargeOutcome = { charged: false }
