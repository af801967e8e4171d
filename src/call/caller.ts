import type { Plan } from "../accounts/plan.ts"
import type { KeyAccess, RateTake } from "../store/store.ts"
import { type Network, toNetworks } from "../values/ip.ts"
import type { Known } from "./known.ts"

/** Who calls, as the gate has found out. Made once for as long as the store keeps the key's record, and kept with it. */
export class Caller {
  readonly key: KeyAccess["key"]
  readonly account: KeyAccess["account"]
  readonly plan: Plan
  /** Of the store's administration when key and account were read. */
  readonly revision: number
  /** When the key, or this secret of it, ends; infinite where it does not. */
  readonly endsMs: number
  /** Whether the key is bound to some APIs. */
  readonly isBoundToApis: boolean
  /** The networks it is bound to; null is any. */
  readonly networks: readonly Network[] | null
  /** Its limits of calls a minute, those of the account and of the key. */
  readonly buckets: RateTake["buckets"]
  /** What is known of the account: room for the charges of the process, which find it by the account only once. */
  known: Known | null = null

  constructor(access: KeyAccess, plan: Plan) {
    const { key, account, revision, secretUntilMs } = access
    this.key = key
    this.account = account
    this.plan = plan
    this.revision = revision
    this.endsMs = Math.min(
      key.expiresMs ?? Number.POSITIVE_INFINITY,
      secretUntilMs ?? Number.POSITIVE_INFINITY,
    )
    this.isBoundToApis = key.allowApis !== null || key.blockApis.length > 0
    this.networks = key.allowIps && toNetworks(key.allowIps)
    this.buckets = bucketsOf(access, plan)
  }
}

function bucketsOf({ key, account }: KeyAccess, plan: Plan): RateTake["buckets"] {
  if (plan.requestsPerMinute === null && key.rateLimit === null) return unlimited
  return [
    ...(plan.requestsPerMinute === null ? [] : [{ id: account.id, perMinute: plan.requestsPerMinute }]),
    ...(key.rateLimit === null ? [] : [{ id: key.id, perMinute: key.rateLimit }]),
  ]
}

const unlimited: RateTake["buckets"] = []
