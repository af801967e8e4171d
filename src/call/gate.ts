import { addressMatches, type Network, toNetworks } from "../account/address.ts"
import { hashKey, isWellFormedKey } from "../account/key.ts"
import { missingPlan, type Plan, type Plans } from "../account/plan.ts"
import type { Clock } from "../apis/contract.ts"
import type {
  AccountRecord,
  KeyAccess,
  KeyRecord,
  RateOutcome,
  RateState,
  RateTake,
  Store,
} from "../store/store.ts"
import { Fault, fixedFault } from "./fault.ts"
import { noStanding, rateHeaders, type StandingHeaders, tightestOf } from "./standing.ts"
import { createTurnBatch } from "./turn-batch.ts"

/** Who calls, as the gate has found out. */
export interface Caller {
  readonly key: KeyRecord
  readonly account: AccountRecord
  readonly plan: Plan
  /** Of the store's administration when key and account were read. */
  readonly revision: number
}

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

  /** Made once for as long as a key's record lives. */
  const callers = new WeakMap<KeyAccess, Caller>()

  function admit(access: KeyAccess | null): Caller {
    if (access === null) throw fixedFault("keyUnknown")
    requireValid(access, clock.now())
    const known = callers.get(access)
    if (known) return known
    const caller = toCaller(access, plans)
    callers.set(access, caller)
    return caller
  }

  return {
    identify(text) {
      if (!text) throw fixedFault("keyMissing")
      if (!isWellFormedKey(text)) throw fixedFault("keyMalformed")
      const access = store.findKey(hashKey(text))
      return access instanceof Promise ? access.then((found) => admit(found)) : admit(access)
    },
    requireAddress({ key }, address) {
      if (key.allowIps === null) return
      if (!addressMatches(address(), networksOf(key))) throw fixedFault("addressForbidden")
    },
    requireApi({ key }, api) {
      if (key.blockApis.includes(api) || (key.allowApis !== null && !key.allowApis.includes(api))) {
        throw new Fault("apiForbidden", `This API key may not call '${api}'.`)
      }
    },
    requireRate({ key, account, plan }) {
      const buckets = [
        ...(plan.requestsPerMinute === null ? [] : [{ id: account.id, perMinute: plan.requestsPerMinute }]),
        ...(key.rateLimit === null ? [] : [{ id: key.id, perMinute: key.rateLimit }]),
      ]
      return buckets.length === 0 ? noStanding : takeFrom(buckets)
    },
  }
}

function toCaller({ key, account, revision }: KeyAccess, plans: Plans): Caller {
  const plan = plans.get(account.plan)
  if (!plan) {
    throw new Fault(
      "planMissing",
      `The plan of this account, '${account.plan}', is not configured here, so nothing ran and nothing was charged. ` +
        "The operator of this service can choose another with 'account set-plan'.",
      { cause: missingPlan(account) },
    )
  }
  return { key, account, plan, revision }
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

/** A key's networks are parsed once for as long as its record lives. */
const parsed = new WeakMap<KeyRecord, readonly Network[]>()

function networksOf(key: KeyRecord): readonly Network[] {
  let networks = parsed.get(key)
  if (!networks) {
    networks = toNetworks(key.allowIps ?? [])
    parsed.set(key, networks)
  }
  return networks
}
