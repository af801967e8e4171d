import type { Database } from "bun:sqlite"
import type { StoreListeners } from "../open-store.ts"
import type { NoticeRecord, NoticeRules } from "../outbox.ts"
import { AlreadyCharged, type Charge, type ChargeOutcome } from "../store.ts"
import { prepareCallReplays } from "./call-replays.ts"
import type { Ledger, LedgerEntry } from "./ledger.ts"
import { prepareRaise } from "./raise.ts"

const refused: ChargeOutcome = { charged: false }

/** Prepares `charge` of the store. Reads and writes each account's row at most once per transaction. */
export function prepareCharges(
  database: Database,
  ledger: Ledger,
  rules: NoticeRules | undefined,
  onRaised: StoreListeners["onRaised"],
): (charges: readonly Charge[]) => readonly ChargeOutcome[] {
  const raise = rules && prepareRaise(database, rules)
  const replays = prepareCallReplays(database)

  function chargeAll(charges: readonly Charge[], raised: NoticeRecord[]): readonly ChargeOutcome[] {
    const changed = new Map<string, LedgerEntry>()
    const outcomes = charges.map((charge): ChargeOutcome => {
      const entry = changed.get(charge.accountId) ?? ledger.read(charge.accountId)
      if (entry === null || entry.closedMs !== null) return refused
      const replay = charge.once ? replays.find(charge.accountId, charge.once) : null
      if (replay) return { charged: false, cause: new AlreadyCharged(replay) }
      const outcome = chargeOne(entry, charge)
      if (!outcome.charged) return outcome
      if (charge.once) replays.keep(charge.accountId, charge.once, charge.items)
      changed.set(charge.accountId, entry)
      if (raise) for (const notice of raise(entry, charge)) raised.push(notice)
      return outcome
    })
    for (const entry of changed.values()) ledger.write(entry)
    return outcomes
  }

  /** Changes the entry, unless the charge is refused. */
  function chargeOne(entry: LedgerEntry, charge: Charge): ChargeOutcome {
    const { items, allowance, periodStartMs, day } = charge
    const credits = items.reduce((sum, item) => sum + item.credits, 0)
    const isNewMonth = periodStartMs > entry.periodStartMs
    const used = isNewMonth ? 0 : entry.used
    const monthlyLeft = allowance === null ? Number.POSITIVE_INFINITY : Math.max(0, allowance - used)
    if (credits > monthlyLeft + entry.bonus) return refused

    if (isNewMonth || entry.day !== day) ledger.closeDay(entry)
    if (isNewMonth) Object.assign(entry, { periodStartMs, notified: 0 })
    entry.day = day
    // Monthly credits are spent before the bonus.
    const fromMonth = Math.min(credits, monthlyLeft)
    entry.used = used + fromMonth
    entry.bonus -= credits - fromMonth
    ledger.addUsage(entry, charge)
    return { charged: true, used: entry.used, bonus: entry.bonus, periodStartMs: entry.periodStartMs }
  }

  return (charges) => {
    const raised: NoticeRecord[] = []
    const outcomes = ledger.transact(() => chargeAll(charges, raised))
    if (raised.length > 0) onRaised(raised)
    return outcomes
  }
}
