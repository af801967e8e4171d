import type { Database } from "bun:sqlite"
import type { NoticeRecord } from "../outbox.ts"
import type { Charge, ChargeOutcome } from "../store.ts"
import { type NoticeRules, prepareRaise } from "./raise.ts"

/** What the month has used, after a renewal that this charge may bring. */
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
    notified = iif($periodStartMs > period_start_ms, 0, notified),
    period_start_ms = max(period_start_ms, $periodStartMs)
  WHERE id = $accountId AND closed_ms IS NULL
    AND ($allowance IS NULL OR $credits <= ${monthlyLeft} + bonus)
  RETURNING used, bonus, period_start_ms AS periodStartMs, notified`

const bookUsage = `
  INSERT INTO usage (account_id, day, api, calls, credits) VALUES ($accountId, $day, $api, $calls, $credits)
  ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`

interface ChargedRow {
  used: number
  bonus: number
  periodStartMs: number
  /** The highest threshold that this month's notices have told of. */
  notified: number
}

type Parameters = Record<string, string | number | null>

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
  const debit = database.query<ChargedRow, Parameters>(chargeAccount)
  const book = database.query<unknown, Parameters>(bookUsage)

  function decide({ accountId, allowance, periodStartMs }: Charge, credits: number): ChargeOutcome {
    const row = debit.get({ accountId, credits, allowance, periodStartMs })
    if (row === null) return { charged: false }
    const { used, bonus, periodStartMs: startMs, notified } = row
    const notices = raise({ accountId, allowance, used, notified, periodStartMs: startMs })
    if (notices.length > 0) raised.push(...notices)
    return { charged: true, used, bonus, periodStartMs: startMs }
  }

  function chargeAll(charges: readonly Charge[]): readonly ChargeOutcome[] {
    raised = []
    const entries = charges.map((charge): Entry => ({ charge, outcome: { charged: false } }))
    for (const group of groupsOf(entries, ({ charge }) => accountOf(charge))) {
      const together = decide(group[0].charge, sumOf(group.map(({ charge }) => creditsOf(charge))))
      for (const entry of group) {
        const decided = together.charged || group.length === 1
        entry.outcome = decided ? together : decide(entry.charge, creditsOf(entry.charge))
      }
    }
    const earned = entries
      .filter(({ outcome }) => outcome.charged)
      .flatMap(({ charge }) => bookingsOf(charge))
    for (const group of groupsOf(earned, ({ accountId, day, api }) => `${accountId} ${day} ${api}`)) {
      const calls = sumOf(group.map((booking) => booking.calls))
      const credits = sumOf(group.map((booking) => booking.credits))
      book.run({ accountId: group[0].accountId, day: group[0].day, api: group[0].api, calls, credits })
    }
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
  outcome: ChargeOutcome
}

function groupsOf<T>(items: readonly T[], keyOf: (item: T) => string): Iterable<[T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups.values()
}

/** Charges that one statement can decide together. */
function accountOf({ accountId, allowance, periodStartMs }: Charge): string {
  return `${accountId} ${allowance} ${periodStartMs}`
}

function creditsOf({ items }: Charge): number {
  return sumOf(items.map(({ credits }) => credits))
}

function bookingsOf({ accountId, day, items }: Charge) {
  return items.map((item) => ({ accountId, day, ...item }))
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
