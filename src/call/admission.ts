import { hashKey, isWellFormed, kindOfKey, refusalOfKey } from "../accounts/key.ts"
import { missingPlan, type Plan, type Plans } from "../accounts/plan.ts"
import type { ApiDefinition, Ports } from "../apis/contract.ts"
import type { KeyAccess, RateOutcome, RateTake, Store } from "../store/store.ts"
import { addressMatches, type Network, toNetworks } from "../values/ip.ts"
import type { Caller } from "./caller.ts"
import { Fault, fixedFault, refusedKey } from "./fault.ts"
import { createTurnBatch } from "./scheduler.ts"

type PendingTake = RateTake & { outcome: RateOutcome | undefined }

/** The end of each API that has one, by its id, with the message to its callers. */
type Sunsets = ReadonlyMap<string, { readonly atMs: number; readonly message: string }>

const noSunsets: Sunsets = new Map()

/** The sunsets of a catalog. */
export function sunsetsOf(apis: readonly ApiDefinition[]): Sunsets {
  return new Map(
    apis.flatMap(({ id, deprecation }) => {
      if (deprecation?.sunset === undefined) return []
      const { sunset, successor } = deprecation
      const instead = successor === undefined ? "" : ` Use '${successor}' instead.`
      const message = `The API '${id}' ended on ${sunset}.${instead}`
      return [[id, { atMs: Date.parse(`${sunset}T00:00:00Z`), message }] as const]
    }),
  )
}

/** Admits or refuses callers. Each step either passes or throws the fault that refuses the call. */
export type Admission = ReturnType<typeof createAdmission>

/** Creates the admission to one store. */
export function createAdmission(
  store: Pick<Store, "findKey" | "findKeyAnew" | "takeRates">,
  plans: Plans,
  { clock, timer }: Pick<Ports, "clock" | "timer">,
  sunsets: Sunsets = noSunsets,
) {
  const submit = createTurnBatch(timer, async (takes: readonly PendingTake[]) => {
    const outcomes = await store.takeRates(takes, clock.now)
    takes.forEach((take, index) => {
      take.outcome = outcomes[index]
    })
  })

  async function takeFrom(buckets: RateTake["buckets"]): Promise<RateOutcome> {
    const take: PendingTake = { buckets, outcome: undefined }
    await submit(take)
    if (!take.outcome) throw new Error("the store must return one outcome per take")
    return take.outcome
  }

  function toCaller(access: KeyAccess | null, secretHash: string): Caller {
    if (access === null) throw fixedFault("keyUnknown")
    const { key, account, revision, secretUntilMs } = access
    const refusal = refusalOfKey(key, secretUntilMs, clock.now())
    if (account.closedMs !== null) throw refusedKey("keyRevoked", access)
    if (refusal !== null) throw refusedKey(refusal, access)
    return { key, account, revision, plan: planOf(access, plans), secretHash }
  }

  function identifyHash(hash: string): Caller | Promise<Caller> {
    const access = store.findKey(hash)
    return access instanceof Promise ? access.then((found) => toCaller(found, hash)) : toCaller(access, hash)
  }

  return {
    /** Finds the caller of a key. Throws the 401s. */
    identify(text: string | null): Caller | Promise<Caller> {
      if (!text) throw fixedFault("keyMissing")
      if (!isWellFormed("key", text))
        throw fixedFault(kindOfKey(text) === "admin" ? "adminKeySent" : "keyMalformed")
      return identifyHash(hashKey(text))
    },
    /** Finds the caller of a key by the key's hash. Throws the 401s. */
    identifyHash,
    /** Finds a caller again whose key or account was changed. Throws the 401s. */
    async identifyAgain({ secretHash, account }: Caller) {
      return toCaller(await store.findKeyAnew(secretHash, account.id), secretHash)
    },
    /** Throws the 403 of an address that the key does not allow. */
    requireAddress({ key: { allowIps } }: Caller, address: () => string) {
      if (allowIps !== null && !addressMatches(address(), networksOf(allowIps)))
        throw fixedFault("addressForbidden")
    },
    /** Throws the 403 of an API that the key does not allow, and the 410 of one whose sunset is over. */
    requireApi({ key: { allowApis, blockApis } }: Caller, api: string) {
      if (blockApis.includes(api) || (allowApis !== null && !allowApis.includes(api))) throw apiForbidden(api)
      if (sunsets.size === 0) return
      const sunset = sunsets.get(api)
      if (sunset && clock.now() >= sunset.atMs) throw new Fault("apiGone", sunset.message)
    },
    /** Counts a call against the limits of account and key. Null when no limit applies. */
    takeRate(caller: Caller) {
      if (caller.plan.requestsPerMinute === null && caller.key.rateLimit === null) return null
      return takeFrom(bucketsOf(caller))
    },
    /** Counts a call of a guest against the limit of its network, and those of the guests' account and key. */
    takeGuestRate: (caller: Caller, network: RateTake["buckets"][number]) =>
      takeFrom([network, ...bucketsOf(caller)]),
  }
}

/** Parsed allow-lists, by the list of the key. */
const networks = new WeakMap<readonly string[], readonly Network[]>()

function networksOf(texts: readonly string[]): readonly Network[] {
  const known = networks.get(texts)
  if (known) return known
  const parsed = toNetworks(texts)
  networks.set(texts, parsed)
  return parsed
}

function bucketsOf({ key, account, plan: { requestsPerMinute } }: Caller): RateTake["buckets"] {
  return [
    ...(requestsPerMinute === null ? [] : [{ id: account.id, perMinute: requestsPerMinute }]),
    ...(key.rateLimit === null ? [] : [{ id: key.id, perMinute: key.rateLimit }]),
  ]
}

/** The fault of a key that may not call an API. */
export function apiForbidden(api: string): Fault {
  return new Fault("apiForbidden", `This API key may not call '${api}'.`)
}

/** The fault of a call that a per-minute limit refuses; `perMinute` is null when the limit is not known. */
export function rateLimited(limit: { perMinute: number | null; retryInMs: number }): Fault {
  const { perMinute, retryInMs } = limit
  const retryAfterSeconds = Math.ceil(retryInMs / 1_000)
  const calls = perMinute === null ? "calls" : perMinute === 1 ? "1 call" : `${perMinute} calls`
  const seconds = retryAfterSeconds === 1 ? "1 second" : `${retryAfterSeconds} seconds`
  return new Fault("rateLimited", `The limit of ${calls} per minute is reached; try again in ${seconds}.`, {
    retryAfterSeconds,
  })
}

function planOf({ account, key }: KeyAccess, plans: Plans): Plan {
  const plan = plans.get(account.plan)
  if (plan) return plan
  throw new Fault(
    "planMissing",
    `The plan of this account, '${account.plan}', is not configured here, so nothing ran and nothing was charged. ` +
      "The operator of this service can choose another with 'account set-plan'.",
    { cause: missingPlan(account), keyOwner: { account: { id: account.id }, key: { id: key.id } } },
  )
}
