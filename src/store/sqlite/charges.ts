import type { Database } from "bun:sqlite"
import type { NoticeRecord } from "../outbox.ts"
import type { Charge, ChargeOutcome } from "../store.ts"
import { type NoticeRules, prepareRaise } from "./raise.ts"

// By position, since naming parameters costs a microsecond a charge: ?1 account, ?2 credits, ?3 start of the month,
// ?4 allowance.

/** What the month has used, after a renewal that this charge may bring. */
const used = "iif(?3 > period_start_ms, 0, used)"
const monthlyLeft = `max(0, ?4 - ${used})`
const fromMonth = `iif(?4 IS NULL, ?2, min(?2, ${monthlyLeft}))`

/**
 * The charging statement: monthly credits first, then the bonus, or nothing at all when both together do not cover it.
 * One statement decides and writes, so no other process can come between. A month is renewed at most once, because
 * the stored start only ever moves forward.
 */
const debitAccount = `
  UPDATE accounts SET
    used = ${used} + ${fromMonth},
    bonus = bonus - (?2 - ${fromMonth}),
    notified = iif(?3 > period_start_ms, 0, notified),
    period_start_ms = max(period_start_ms, ?3)
  WHERE id = ?1 AND closed_ms IS NULL AND (?4 IS NULL OR ?2 <= ${monthlyLeft} + bonus)
  RETURNING used, bonus, period_start_ms AS periodStartMs, notified`

const bookUsage = `
  INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`

interface ChargedRow {
  used: number
  bonus: number
  periodStartMs: number
  /** The highest threshold that this month's notices have told of. */
  notified: number
}

/**
 * Prepares `charge` of the store: a list of charges in one transaction. Charges of one account are tried together, since
 * mostly all fit and one statement is then enough; where together they do not, each is decided on its own, in order.
 */
export function prepareCharges(
  database: Database,
  rules: NoticeRules,
): (charges: readonly Charge[]) => readonly ChargeOutcome[] {
  const raise = prepareRaise(database, rules)
  let raised: NoticeRecord[] = []
  const debit = database.query<ChargedRow, [string, number, number, number | null]>(debitAccount)
  const book = database.query<unknown, [string, number, string, string, number, number]>(bookUsage)

  function decide({ accountId, allowance, periodStartMs }: Charge, credits: number): ChargeOutcome {
    const row = debit.get(accountId, credits, periodStartMs, allowance)
    if (row === null) return { charged: false }
    const { used, bonus, periodStartMs: startMs, notified } = row
    const notices = raise({ accountId, allowance, used, notified, periodStartMs: startMs })
    if (notices.length > 0) raised.push(...notices)
    return { charged: true, used, bonus, periodStartMs: startMs }
  }

  /** Decides the charges of one account and books what was earned. */
  function chargeAccount(entries: readonly [Entry, ...Entry[]]): void {
    const [{ charge: first }] = entries
    const together = entries.every(({ charge }) => isAlike(charge, first))
      ? decide(
          first,
          entries.reduce((sum, { credits }) => sum + credits, 0),
        )
      : { charged: false as const }
    const bookings: Booking[] = []
    for (const entry of entries) {
      const decided = together.charged || entries.length === 1
      entry.outcome = decided ? together : decide(entry.charge, entry.credits)
      if (entry.outcome.charged) addBookings(bookings, entry.charge, entry.outcome.periodStartMs)
    }
    const { accountId } = first
    for (const { periodStartMs, day, api, calls, credits } of bookings) {
      book.run(accountId, periodStartMs, day, api, calls, credits)
    }
  }

  function chargeAll(charges: readonly Charge[]): readonly ChargeOutcome[] {
    raised = []
    const entries = charges.map(toEntry)
    const accounts = new Map<string, [Entry, ...Entry[]]>()
    for (const entry of entries) {
      const account = accounts.get(entry.charge.accountId)
      if (account) account.push(entry)
      else accounts.set(entry.charge.accountId, [entry])
    }
    for (const account of accounts.values()) chargeAccount(account)
    return entries.map(({ outcome }) => outcome)
  }

  const run = database.transaction(chargeAll).immediate
  return (charges) => {
    const outcomes = run(charges)
    if (raised.length > 0) rules.onRaised(raised)
    return outcomes
  }
}

interface Entry {
  readonly charge: Charge
  readonly credits: number
  outcome: ChargeOutcome
}

/** What one row of usage grows by. */
interface Booking {
  /** The month that paid, which is not always the one that the charge asked for. */
  readonly periodStartMs: number
  readonly day: string
  readonly api: string
  calls: number
  credits: number
}

function toEntry(charge: Charge): Entry {
  const credits = charge.items.reduce((sum, item) => sum + item.credits, 0)
  return { charge, credits, outcome: { charged: false } }
}

/** Whether two charges of an account are under the same rules: the plan may have changed between them. */
function isAlike(a: Charge, b: Charge): boolean {
  return a.allowance === b.allowance && a.periodStartMs === b.periodStartMs
}

function addBookings(bookings: Booking[], { day, items }: Charge, periodStartMs: number): void {
  for (const { api, calls, credits } of items) {
    const row = bookings.find(
      (booking) => booking.api === api && booking.day === day && booking.periodStartMs === periodStartMs,
    )
    if (row) {
      row.calls += calls
      row.credits += credits
    } else {
      bookings.push({ periodStartMs, day, api, calls, credits })
    }
  }
}
