import { type Balance, covers, monthAhead } from "../accounts/credits.ts"
import type { Ports } from "../apis/contract.ts"
import type { Log } from "../ports/log.ts"
import type { RequestTrace } from "../ports/tracer.ts"
import {
  AlreadyCharged,
  type Charge,
  type ChargeItem,
  type ChargeOutcome,
  type RateState,
  type Store,
  sumCredits,
} from "../store/store.ts"
import { toDay, toIso } from "../values/time-text.ts"
import type { Admission } from "./admission.ts"
import { type Caller, type CallerRequest, nothingCharged } from "./caller.ts"
import { Fault, fixedFault, ownKeyHelps } from "./fault.ts"
import { createIdempotentCalls, type IdempotentCall, requireSameInput } from "./idempotency.ts"
import { inSpan } from "./in-span.ts"
import {
  balanceAt,
  createLiveAccounts,
  type FindLiveAccount,
  type LiveAccount,
  refresh,
} from "./live-account.ts"
import { createTurnBatch } from "./scheduler.ts"

/** Credits set aside for a call in progress, in memory only: a crash leaves no hold behind. */
type Hold = ReturnType<typeof createHold>

/** The parts of a request that its charge needs. */
type SettledRequest = Pick<CallerRequest, "hasLeft" | "trace">

interface PendingCharge {
  readonly charge: Charge
  readonly hold: Hold
  readonly request: SettledRequest
  /** Null until the charge is decided. */
  outcome: ChargeOutcome | "callerLeft" | null
  /** For a charge that was not decided at once: resolves when it is. */
  decision: PromiseWithResolvers<void> | null
}

/** A charge is tried so often while an operator changes its account. */
const maxAttempts = 8

/** Holds credits before an API runs and charges them after. */
export type Charges = ReturnType<typeof createCharges>

/**
 * The store gets the charges of one event-loop turn together.
 * @param findLive shared with the charges of other configurations, so that a call in progress keeps what it holds
 */
export function createCharges(
  store: Omit<Store, "ping" | "close">,
  admission: Pick<Admission, "identifyAgain" | "requireApi">,
  { clock, timer }: Pick<Ports, "clock" | "timer">,
  log: Pick<Log, "error">,
  findLive: FindLiveAccount = createLiveAccounts(),
) {
  const submit = createTurnBatch(timer, async (pending: readonly PendingCharge[]) => {
    const present = pending.filter(isPresent)
    if (present.length === 0) return
    const all = store.charge(
      present.map(({ charge }) => charge),
      (outcome, index) => decide(present[index], outcome),
    )
    if (present.every(isDecided)) {
      await all
      return
    }
    const undecided = present.filter((one) => !isDecided(one))
    // A call does not wait for other charges of its turn, which the database may hold up.
    for (const one of undecided) one.decision = Promise.withResolvers()
    void all.then(
      () => fail(undecided, new Error("the store must decide each charge")),
      (cause) => fail(undecided, cause),
    )
  })

  function balanceOf(live: LiveAccount, caller: Caller, nowMs: number): Balance {
    const { id, periodStartMs, reportedMs } = live
    // Logged once for each account and month: only the operator can end such a month early.
    if (periodStartMs > nowMs && periodStartMs !== reportedMs) {
      live.reportedMs = periodStartMs
      log.error("credit month in the future", { account: id, problem: monthAhead(live, nowMs) })
    }
    return balanceAt(live, caller, nowMs)
  }

  function toCharge(
    live: LiveAccount,
    caller: Caller,
    items: readonly ChargeItem[],
    trace: RequestTrace | null = null,
    idempotent: IdempotentCall | null = null,
  ): Charge {
    const nowMs = clock.now()
    const { allowance, period } = balanceOf(live, caller, nowMs)
    return {
      accountId: live.id,
      keyId: caller.key.id,
      items,
      allowance,
      // A charge must not bring back a month in the future that an operator has just ended.
      periodStartMs: period.startMs > nowMs ? 0 : period.startMs,
      day: dayOf(nowMs),
      revision: caller.revision,
      traceparent: trace?.traceparent,
      idempotent,
    }
  }

  async function refuse({ caller, live, credits }: Hold): Promise<never> {
    const stored = await store.findAccount(caller.account.id)
    // The account was closed after the key was checked.
    if (stored === null || stored.closedMs !== null) throw fixedFault("keyRevoked")
    refresh(live, stored)
    const nowMs = clock.now()
    const balance = balanceOf(live, caller, nowMs)
    tellExhausted(live, caller, balance)
    throw creditsUsedUp(caller, balance, credits, live.heldCredits, nowMs)
  }

  /**
   * Lets the store decide whether the credits are used up, which raises the event: a smaller plan or a month without credits uses
   * them up without a charge. Once for each account and month, and the call does not wait for it.
   */
  function tellExhausted(live: LiveAccount, caller: Caller, { remaining, period }: Balance): void {
    if (remaining !== 0 || live.exhaustedMs === period.startMs) return
    live.exhaustedMs = period.startMs
    const retry = () => {
      live.exhaustedMs = null
    }
    store.charge([toCharge(live, caller, [])]).then(
      ([outcome]) => {
        if (!outcome?.charged) retry()
      },
      (cause) => {
        retry()
        log.error("credits.exhausted not raised", { account: live.id, cause: String(cause) })
      },
    )
  }

  async function settle(
    hold: Hold,
    items: readonly ChargeItem[],
    request: SettledRequest,
    uses: readonly ChargeItem[],
  ): Promise<void> {
    let { caller } = hold
    const { idempotent } = hold
    if (idempotent?.firstCharge) {
      idempotent.isAnswered = true
      return
    }
    const recorded = uses.length === 0 ? items : [...items, ...uses]
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const charge = toCharge(hold.live, caller, recorded, request.trace, idempotent)
      const pending: PendingCharge = { charge, hold, request, outcome: null, decision: null }
      await submit(pending)
      if (pending.decision) await pending.decision.promise
      const { outcome } = pending
      if (outcome === "callerLeft") throw fixedFault("callerLeft")
      if (outcome === null) throw new Error("the charge must be decided")
      if (outcome.charged) return
      if (idempotent && outcome.cause instanceof AlreadyCharged) {
        // Another process was first.
        idempotent.firstCharge = outcome.cause.firstCharge
        requireSameInput(idempotent.inputHash, idempotent.firstCharge)
        return
      }
      if (outcome.cause === undefined) await refuse(hold)
      if (outcome.cause !== "changed") throw outcome.cause
      caller = await admission.identifyAgain(caller)
      for (const { api } of items) admission.requireApi(caller, api)
      // Takes over the changes.
      findLive(caller)
    }
    throw new Error("the account was changed during each attempt to charge it")
  }

  return {
    idempotent: createIdempotentCalls(store, clock, findLive),
    /**
     * Refuses a call that the balance, less what other calls hold, cannot pay.
     * @param idempotent the Idempotency-Key of the call; one that was charged before holds nothing, and settling it does nothing
     */
    hold(caller: Caller, credits: number, idempotent: IdempotentCall | null = null) {
      const nowMs = clock.now()
      const live = findLive(caller)
      if (idempotent?.firstCharge) return createHold(caller, live, 0, idempotent)
      const balance = balanceOf(live, caller, nowMs)
      if (!covers(balance, live.heldCredits + credits)) {
        tellExhausted(live, caller, balance)
        throw creditsUsedUp(caller, balance, credits, live.heldCredits, nowMs)
      }
      return createHold(caller, live, credits, idempotent)
    },
    /**
     * Charges `items`, the part of a hold that succeeded. The database decides and commits before this resolves.
     * @param uses deprecated items used, recorded with the charge
     * @throws Fault when the client has left, another process spent the credits, the account was closed, or the key was revoked
     */
    settle(hold: Hold, items: readonly ChargeItem[], request: SettledRequest, uses = nothingCharged) {
      const span = request.trace?.span
      if (!span) return settle(hold, items, request, uses)
      const values = { "penknife.credits": sumCredits(items) }
      return Promise.resolve(inSpan(span, "settle", values, () => settle(hold, items, request, uses)))
    },
    /** The caller's usage, as this process knows it. */
    status(caller: Caller, rate: RateState | null): UsageStatus {
      const balance = balanceOf(findLive(caller), caller, clock.now())
      return { plan: caller.plan.name, balance, rate }
    },
    /** The balance as the database has it now, and the month's usage by day and API, newest day first. */
    async report(caller: Caller) {
      const stored = await store.findAccount(caller.account.id)
      const live = findLive(caller)
      if (stored) refresh(live, stored)
      const balance = balanceOf(live, caller, clock.now())
      return { balance, rows: await store.monthUsage(caller.account.id, balance.period.startMs) }
    },
  }
}

/** Checked just before the commit: an answer that nobody can read is not charged. */
function isPresent(pending: PendingCharge): boolean {
  if (!pending.request.hasLeft()) return true
  pending.outcome = "callerLeft"
  return false
}

function isDecided({ outcome }: PendingCharge): boolean {
  return outcome !== null
}

function decide(pending: PendingCharge | undefined, outcome: ChargeOutcome): void {
  if (!pending) throw new Error("the store must decide the charges it was given")
  const { hold, decision } = pending
  // In one step with the new balance: credits that counted twice would refuse another call wrongly.
  hold.release()
  pending.outcome = outcome
  if (outcome.charged) {
    const { live } = hold
    live.used = outcome.used
    live.bonus = outcome.bonus
    live.periodStartMs = outcome.periodStartMs
  }
  decision?.resolve()
}

/** Ends the wait for charges that the store has not decided. */
function fail(undecided: readonly PendingCharge[], cause: unknown): void {
  for (const { outcome, decision } of undecided) if (outcome === null) decision?.reject(cause)
}

function createHold(caller: Caller, live: LiveAccount, credits: number, idempotent: IdempotentCall | null) {
  let isHeld = true
  live.heldCredits += credits
  return {
    caller,
    live,
    credits,
    idempotent,
    /** Frees the credits. Settling does it too; a second release changes nothing. */
    release() {
      if (isHeld) live.heldCredits -= credits
      isHeld = false
    },
  }
}

let dayCache = { startMs: Number.NaN, text: "" }

/** The UTC day of an instant, `YYYY-MM-DD`; formatted once a day instead of once a call. */
function dayOf(nowMs: number): string {
  const startMs = nowMs - (nowMs % 86_400_000)
  if (dayCache.startMs !== startMs) dayCache = { startMs, text: toDay(nowMs) }
  return dayCache.text
}

/** @param held credits of the balance that calls in progress hold */
function creditsUsedUp(
  { isGuest = false }: Caller,
  balance: Balance,
  credits: number,
  held: number,
  nowMs: number,
): Fault {
  const { allowance, bonus, remaining, period } = balance
  const waitSeconds = Math.max(1, Math.ceil((period.endMs - nowMs) / 1_000))
  // How many credits all guests together have left is nothing to a guest.
  if (isGuest) {
    const message = `The calls without an API key are used up until ${toIso(period.endMs)}. ${ownKeyHelps}`
    return new Fault("creditsUsedUp", message, { retryAfterSeconds: waitSeconds })
  }
  const cost = credits === 1 ? "1 credit" : `${credits} credits`
  const left = Math.max(0, (remaining ?? 0) - held)
  const renewal = `Credits renew at ${toIso(period.endMs)}`
  // Waiting helps only a call that a new month can pay. The bonus stays until it is spent.
  const helps = credits <= (allowance ?? 0) + bonus
  return new Fault(
    "creditsUsedUp",
    `The credits of this account are used up: this call costs ${cost}, and ${left} ${left === 1 ? "is" : "are"} left. ` +
      (helps ? `${renewal}.` : `${renewal}, but those of a month do not cover this call.`),
    helps ? { retryAfterSeconds: waitSeconds } : {},
  )
}

/** An account's usage and what is left: every reply to an identified caller carries it as data. */
export interface UsageStatus {
  /** The name of the account's plan. */
  readonly plan: string
  readonly balance: Balance
  /** The per-minute limit that is closest to being reached; null when none applies. */
  readonly rate: RateState | null
}

/** The limit with the longest wait, or with the fewest calls left. Null without limits. */
export function tightestOf(limits: readonly RateState[]): RateState | null {
  const sorted = [...limits].sort((a, b) => b.retryInMs - a.retryInMs || a.remaining - b.remaining)
  return sorted[0] ?? null
}
