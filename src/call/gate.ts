import { hashKey, isWellFormedKey } from "../accounts/key.ts"
import { missingPlan, type Plan, type Plans } from "../accounts/plan.ts"
import type { Clock } from "../apis/contract.ts"
import type { KeyAccess, RateOutcome, RateState, RateTake, Store } from "../store/store.ts"
import { addressMatches } from "../values/ip.ts"
import { Caller } from "./caller.ts"
import { Fault, fixedFault } from "./fault.ts"
import { noStanding, rateHeaders, type StandingHeaders, tightestOf } from "./standing.ts"
import { createTurnBatch } from "./turn-batch.ts"

export interface Gate {
  /** Who is it? Throws the 401s. */
  identify(key: string | null): Caller | Promise<Caller>
  /** From where? Throws the 403 of an address that the key does not allow; asks for it only where a key is bound to some. */
  requireAddress(caller: Caller, address: () => string): void
  /** May they? Throws the 403 of an API that the key does not allow. */
  requireApi(caller: Caller, api: string): void
  /** How fast? Takes a call from the limits of account and key, or throws the 429; gives the rate-limit headers. */
  requireRate(caller: Caller): Promise<StandingHeaders> | StandingHeaders
}

interface Taking extends RateTake {
  outcome: RateOutcome | undefined
}

export function createGate(store: Store, plans: Plans, clock: Clock): Gate {
  const takeRate = createTurnBatch(async (takings: readonly Taking[]) => {
    const outcomes = await store.takeRates(takings)
    takings.forEach((taking, index) => {
      taking.outcome = outcomes[index]
    })
  })

  async function takeFrom(buckets: RateTake["buckets"]): Promise<StandingHeaders> {
    const taking: Taking = { buckets, nowMs: clock.now(), outcome: undefined }
    await takeRate(taking)
    if (!taking.outcome) throw new Error("the store must give one outcome per take")
    if (!taking.outcome.granted) throw throttled(taking.outcome.buckets)
    return rateHeaders(taking.outcome.buckets)
  }

  function admit(access: KeyAccess | null): Caller {
    if (access === null) throw fixedFault("keyUnknown")
    const nowMs = clock.now()
    const known = access.caller
    // Revoked or closed it cannot be: a record that says so never became a caller.
    if (known instanceof Caller && nowMs < known.endsMs) return known
    requireValid(access, nowMs)
    const caller = new Caller(access, planOf(access, plans))
    access.caller = caller
    return caller
  }

  return {
    identify(text) {
      if (!text) throw fixedFault("keyMissing")
      if (!isWellFormedKey(text)) throw fixedFault("keyMalformed")
      const access = store.findKey(hashKey(text))
      return access instanceof Promise ? access.then((found) => admit(found)) : admit(access)
    },
    requireAddress({ networks }, address) {
      if (networks !== null && !addressMatches(address(), networks)) throw fixedFault("addressForbidden")
    },
    requireApi({ isBoundToApis, key }, api) {
      if (!isBoundToApis) return
      if (key.blockApis.includes(api) || (key.allowApis !== null && !key.allowApis.includes(api))) {
        throw new Fault("apiForbidden", `This API key may not call '${api}'.`)
      }
    },
    requireRate: ({ buckets }) => (buckets.length === 0 ? noStanding : takeFrom(buckets)),
  }
}

function planOf({ account }: KeyAccess, plans: Plans): Plan {
  const plan = plans.get(account.plan)
  if (plan) return plan
  throw new Fault(
    "planMissing",
    `The plan of this account, '${account.plan}', is not configured here, so nothing ran and nothing was charged. ` +
      "The operator of this service can choose another with 'account set-plan'.",
    { cause: missingPlan(account) },
  )
}

function throttled(buckets: readonly RateState[]): Fault {
  const limit = tightestOf(buckets)
  const seconds = Math.ceil((limit?.retryInMs ?? 0) / 1_000)
  return new Fault(
    "rateLimited",
    `The limit of ${limit?.perMinute} ${limit?.perMinute === 1 ? "call" : "calls"} per minute is reached; try again in ${seconds === 1 ? "1 second" : `${seconds} seconds`}.`,
    { headers: { ...rateHeaders(buckets), "retry-after": String(seconds) } },
  )
}

function requireValid({ key, account, secretUntilMs }: KeyAccess, nowMs: number): void {
  // Revoked and closed stay so, whatever a clock that is set back says.
  if (key.revokedMs !== null) throw fixedFault("keyRevoked")
  if (account.closedMs !== null) throw fixedFault("keyRevoked")
  if (secretUntilMs !== null && secretUntilMs <= nowMs) throw fixedFault("keyRevoked")
  if (key.expiresMs !== null && key.expiresMs <= nowMs) throw fixedFault("keyExpired")
}
