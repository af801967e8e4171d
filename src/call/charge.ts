import { type Balance, balanceOf, covers, monthAhead } from "../account/credits.ts"
import type { Period } from "../account/period.ts"
import type { Clock } from "../apis/contract.ts"
import type { Log } from "../ports/log.ts"
import type { AccountRecord, Charge, ChargeItem, ChargeOutcome, Store, UsageRow } from "../store/store.ts"
import { Fault, fixedFault } from "./fault.ts"
import type { Caller } from "./gate.ts"
import { createTurnBatch } from "./turn-batch.ts"

/** Credits that are kept free for a call under way. In memory only: a crash leaves none. */
export interface Hold {
  readonly caller: Caller
  readonly credits: number
  /** Gives the credits free, whatever became of the call. Once is enough; settling does it, too. */
  release(): void
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
  /** The balance as the database has it now, and the month's usage by day and API, newest day first. */
  report(caller: Caller): Promise<{ readonly balance: Balance; readonly rows: readonly UsageRow[] }>
}

/** What this process knows of an account: what the database last said, and what calls under way hold of it. */
interface Known {
  /** As the database last said: replaced when the record is read anew, kept up to date with every charge. */
  account: Mutable<AccountRecord>
  period: Period | undefined
  revision: number
  held: number
  /** Start of a month in the future that the log has been told of. */
  reportedMs: number | null
}

/** A call that has done its work and is to be charged. */
interface Settlement {
  readonly hold: Hold
  readonly charge: Charge
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Accounts kept in memory at most; one that holds nothing goes first. */
const maxKnown = 50_000

/** Charges of one turn of the event loop share one transaction. */
export function createCharges(store: Store, clock: Clock, log: Pick<Log, "error">): Charges {
  const submit = createTurnBatch(async (settlements: readonly Settlement[]) => {
    const outcomes = await store.charge(settlements.map(({ charge }) => charge))
    return outcomes.map((outcome, index) => conclude(settlements[index] as Settlement, outcome))
  })
  const accounts = new Map<string, Known>()

  function knownOf({ account, revision }: Caller): Known {
    const known = accounts.get(account.id)
    if (known && known.revision >= revision) return known
    // An administrator has changed something since: what came with the key was read after that.
    if (known) return Object.assign(known, { account: { ...account }, revision })
    if (accounts.size >= maxKnown) forgetIdle(accounts)
    const fresh: Known = { account: { ...account }, period: undefined, revision, held: 0, reportedMs: null }
    accounts.set(account.id, fresh)
    return fresh
  }

  function balance(caller: Caller): Balance {
    const known = knownOf(caller)
    const nowMs = clock.now()
    if (known.account.periodStartMs > nowMs) reportAhead(known, nowMs)
    const current = balanceOf(known.account, caller.plan, nowMs, known.period)
    known.period = current.period
    return current
  }

  /** Once for each month: the operator has to know, since nothing but an order of theirs ends it early. */
  function reportAhead(known: Known, nowMs: number): void {
    const { id, periodStartMs } = known.account
    if (known.reportedMs === periodStartMs) return
    known.reportedMs = periodStartMs
    log.error("credit month in the future", { account: id, problem: monthAhead(known.account, nowMs) })
  }

  /** What follows from the database's decision; a promise only where that needs another look at the store. */
  function conclude({ hold }: Settlement, outcome: ChargeOutcome): Promise<void> | undefined {
    const { account } = knownOf(hold.caller)
    // In the same step as the balance changes: credits that count twice for a moment would refuse someone wrongly.
    hold.release()
    if (!outcome.charged) return refuse(hold)
    account.used = outcome.used
    account.bonus = outcome.bonus
    account.periodStartMs = outcome.periodStartMs
    return undefined
  }

  async function refuse({ caller, credits }: Hold): Promise<never> {
    const stored = await store.findAccount(caller.account.id)
    // As the gate would have said, had it known.
    if (stored === null || stored.closedMs !== null) throw fixedFault("keyRevoked")
    // Another process was faster. What it left is what the next hold has to know.
    knownOf(caller).account = stored
    throw creditsUsedUp(balance(caller), credits, clock.now())
  }

  return {
    balance,
    hold(caller, credits) {
      const known = knownOf(caller)
      const current = balance(caller)
      if (!covers(current, known.held + credits)) throw creditsUsedUp(current, credits, clock.now())
      known.held += credits
      let held = true
      return {
        caller,
        credits,
        release() {
          if (held) known.held -= credits
          held = false
        },
      }
    },
    settle(hold, items) {
      const { caller } = hold
      const { allowance, period } = balance(caller)
      const nowMs = clock.now()
      return submit({
        hold,
        charge: {
          accountId: caller.account.id,
          items,
          allowance,
          // A month in the future is the stored one or, renewed by an operator just now, must not come back.
          periodStartMs: period.startMs > nowMs ? 0 : period.startMs,
          day: dayOf(nowMs),
        },
      })
    },
    async report(caller) {
      const known = knownOf(caller)
      known.account = (await store.findAccount(caller.account.id)) ?? known.account
      const current = balance(caller)
      return { balance: current, rows: await store.monthUsage(caller.account.id, current.period.startMs) }
    },
  }
}

let dayCache = { startMs: Number.NaN, text: "" }

/** The UTC day of an instant, `YYYY-MM-DD`; formatted once a day, not once a call. */
function dayOf(nowMs: number): string {
  const startMs = nowMs - (nowMs % 86_400_000)
  if (dayCache.startMs !== startMs) dayCache = { startMs, text: new Date(nowMs).toISOString().slice(0, 10) }
  return dayCache.text
}

function forgetIdle(accounts: Map<string, Known>): void {
  for (const [id, { held }] of accounts) {
    if (held > 0) continue
    accounts.delete(id)
    return
  }
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
