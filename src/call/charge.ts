import { type Balance, covers, monthAhead } from "../accounts/credits.ts"
import type { Clock } from "../apis/contract.ts"
import type { Log } from "../ports/log.ts"
import type { Charge, ChargeItem, ChargeOutcome, Store, UsageRow } from "../store/store.ts"
import type { Caller } from "./caller.ts"
import { Fault, fixedFault } from "./fault.ts"
import { balanceNow, correct, createKnownAccounts, headersOf, type Known } from "./known.ts"
import { creditHeaders, noStanding, type Standing, type StandingHeaders } from "./standing.ts"
import { nothingCharged } from "./trail.ts"
import { createTurnBatch } from "./turn-batch.ts"

/**
 * Credits that are kept free for a call under way, in memory only: a crash leaves none. It becomes the charge, too, since
 * every call has one of each.
 */
export class Hold implements Charge {
  readonly caller: Caller
  readonly known: Known
  readonly credits: number
  readonly accountId: string
  /** Whether the database decided against the charge. */
  isRefused = false
  items: readonly ChargeItem[] = nothingCharged
  allowance: number | null = null
  periodStartMs = 0
  day = ""
  private isReleased = false

  constructor(caller: Caller, known: Known, credits: number) {
    this.caller = caller
    this.known = known
    this.credits = credits
    this.accountId = known.id
    known.held += credits
  }

  /** Gives the credits free, whatever became of the call. Once is enough; settling does it, too. */
  release(): void {
    if (!this.isReleased) this.known.held -= this.credits
    this.isReleased = true
  }
}

export interface Charges {
  /** Before the run: refuses a call that the balance, less what other calls hold, cannot cover. */
  hold(caller: Caller, credits: number): Hold
  /**
   * After success and before the answer leaves: the database decides on the sum of `items` (of what was held, the part
   * that succeeded) and commits, or the call becomes the refusal.
   */
  settle(hold: Hold, items: readonly ChargeItem[]): Promise<void>
  /** The balance as last heard of. */
  balance(caller: Caller): Balance
  /** Where a caller stands, as last heard of; `rate` is what the gate has said. */
  standing(caller: Caller, rate: StandingHeaders): Standing
  /** The balance as the database has it now, and the month's usage by day and API, newest day first. */
  report(caller: Caller): Promise<{ readonly balance: Balance; readonly rows: readonly UsageRow[] }>
}

/** Charges of one turn of the event loop share one transaction. */
export function createCharges(store: Store, clock: Clock, log: Pick<Log, "error">): Charges {
  const accounts = createKnownAccounts()
  const submit = createTurnBatch(async (batch: readonly Hold[]) => {
    const outcomes = await store.charge(batch)
    if (outcomes.length !== batch.length) throw new Error("the store must give one outcome per charge")
    outcomes.forEach((outcome, index) => {
      conclude(batch[index] as Hold, outcome)
    })
  })

  function knownOf(caller: Caller): Known {
    const { known, account, revision } = caller
    if (known !== null && !known.isForgotten && known.revision >= revision) return known
    caller.known = accounts.find(account, revision)
    return caller.known
  }

  function present(known: Known, { plan }: Caller, nowMs: number): Balance {
    if (known.periodStartMs > nowMs) reportAhead(known, nowMs)
    return balanceNow(known, plan, nowMs)
  }

  /** Once for each month: the operator has to know, since nothing but an order of theirs ends it early. */
  function reportAhead(known: Known, nowMs: number): void {
    const { id, periodStartMs } = known
    if (known.reportedMs === periodStartMs) return
    known.reportedMs = periodStartMs
    log.error("credit month in the future", { account: id, problem: monthAhead(known, nowMs) })
  }

  async function refuse({ caller, credits }: Hold): Promise<never> {
    const stored = await store.findAccount(caller.account.id)
    // As the gate would have said, had it known.
    if (stored === null || stored.closedMs !== null) throw fixedFault("keyRevoked")
    // Another process was faster. What it left is what the next hold has to know.
    const known = knownOf(caller)
    correct(known, stored)
    const nowMs = clock.now()
    throw creditsUsedUp(present(known, caller, nowMs), credits, nowMs)
  }

  return {
    hold(caller, credits) {
      const nowMs = clock.now()
      const known = knownOf(caller)
      const balance = present(known, caller, nowMs)
      if (!covers(balance, known.held + credits)) throw creditsUsedUp(balance, credits, nowMs)
      return new Hold(caller, known, credits)
    },
    async settle(hold, items) {
      const nowMs = clock.now()
      const { allowance, period } = present(hold.known, hold.caller, nowMs)
      hold.items = items
      hold.allowance = allowance
      // A month in the future is the stored one or, renewed by an operator just now, must not come back.
      hold.periodStartMs = period.startMs > nowMs ? 0 : period.startMs
      hold.day = dayOf(nowMs)
      // Shared with the other calls of the turn: what came of this one is in its hold.
      await submit(hold)
      if (hold.isRefused) await refuse(hold)
    },
    balance: (caller) => present(knownOf(caller), caller, clock.now()),
    standing(caller, rate) {
      const known = knownOf(caller)
      const balance = present(known, caller, clock.now())
      const credit = creditHeaders(balance)
      return {
        changing: rate === noStanding ? credit : { ...rate, ...credit },
        stable: headersOf(known, balance, caller.plan),
      }
    },
    async report(caller) {
      const { id } = caller.account
      const stored = await store.findAccount(id)
      const known = knownOf(caller)
      if (stored) correct(known, stored)
      const balance = present(known, caller, clock.now())
      return { balance, rows: await store.monthUsage(id, balance.period.startMs) }
    },
  }
}

/** What follows from the database's decision. */
function conclude(hold: Hold, outcome: ChargeOutcome): void {
  // In the same step as the balance changes: credits that count twice for a moment would refuse someone wrongly.
  hold.release()
  if (outcome.charged) {
    hold.known.used = outcome.used
    hold.known.bonus = outcome.bonus
    hold.known.periodStartMs = outcome.periodStartMs
  } else {
    hold.isRefused = true
  }
}

let dayCache = { startMs: Number.NaN, text: "" }

/** The UTC day of an instant, `YYYY-MM-DD`; formatted once a day, not once a call. */
function dayOf(nowMs: number): string {
  const startMs = nowMs - (nowMs % 86_400_000)
  if (dayCache.startMs !== startMs) dayCache = { startMs, text: new Date(nowMs).toISOString().slice(0, 10) }
  return dayCache.text
}

function creditsUsedUp({ period }: Balance, credits: number, nowMs: number): Fault {
  const renewal = new Date(period.endMs).toISOString()
  const needed = credits === 1 ? "1 credit" : `${credits} credits`
  return new Fault(
    "creditsUsedUp",
    `The credits of this account are used up: this call needs ${needed}. Credits renew at ${renewal}.`,
    { headers: { "retry-after": String(Math.max(1, Math.ceil((period.endMs - nowMs) / 1_000))) } },
  )
}
