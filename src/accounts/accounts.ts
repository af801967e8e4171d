import type { Clock, Random } from "../apis/contract.ts"
import type { AccountRecord, KeyRecord, Store, UsageRow } from "../store/store.ts"
import { AccountError } from "./account-error.ts"
import { type Balance, balanceOf, monthAhead } from "./credits.ts"
import { createId, createKey, hashKey, visiblePrefix } from "./key.ts"
import { periodAt } from "./period.ts"
import { maxCallsPerMinute, maxCredits, missingPlan, type Plan, type Plans } from "./plan.ts"
import { requireAccount, requireOpenAccount } from "./require-account.ts"
import { refuseHidden, requireApis, requireNetworks, requireNewAccount, requirePlan } from "./requirements.ts"

/** A key to create. Fields left out set no limit. */
export interface NewKey {
  readonly accountId: string
  readonly name?: string | undefined
  readonly expiresMs?: number | undefined
  readonly allowApis?: readonly string[] | undefined
  readonly blockApis?: readonly string[] | undefined
  /** CIDR networks. */
  readonly allowIps?: readonly string[] | undefined
  /** Calls a minute. */
  readonly rateLimit?: number | undefined
}

/** A new secret of a key. Its text is given out only here; the store keeps a hash. */
export interface IssuedKey {
  readonly id: string
  readonly key: string
}

export interface ListedAccount extends AccountRecord {
  /** What is wrong with the account and what to do; null if nothing. */
  readonly problem: string | null
}

/** An account with its plan, balance and keys. */
export interface AccountStatus {
  readonly account: ListedAccount
  /** Null when the plan is not configured. The balance is then without an allowance. */
  readonly plan: Plan | null
  readonly balance: Balance
  readonly keys: readonly KeyRecord[]
}

/** The operator's work with accounts and keys. Every method throws {@link AccountError} for what cannot be done. */
export interface Accounts {
  create(name: string, plan: string): Promise<AccountRecord>
  /** All accounts, oldest first. */
  list(): Promise<readonly ListedAccount[]>
  show(id: string): Promise<AccountStatus>
  setPlan(id: string, plan: string): Promise<void>
  /** Adds credits to the bonus, up to {@link maxCredits}. */
  grant(id: string, credits: number): Promise<void>
  /**
   * Starts the current credit month again with zero usage; bonus and recorded usage stay. Repairs an account whose month
   * lies in the future because a clock was ahead. If even its creation does, it counts as created now.
   */
  renew(id: string): Promise<void>
  /** Closes an account for good. Its keys stop working. */
  closeAccount(id: string): Promise<void>
  /** Usage by day and API of the last `days` days, {@link maxUsageDays} at most, today included, newest day first. */
  usage(id: string, days: number): Promise<readonly UsageRow[]>

  createKey(key: NewKey): Promise<IssuedKey>
  /** The keys of one account, or of all, oldest first. */
  listKeys(accountId?: string): Promise<readonly KeyRecord[]>
  /** Gives a key a new secret. The old one works for `graceMs` longer. */
  rotateKey(id: string, graceMs: number): Promise<IssuedKey>
  revokeKey(id: string): Promise<void>
}

export interface AccountsParts {
  readonly store: Store
  readonly plans: Plans
  readonly clock: Clock
  readonly random: Random
  /** Ids of the catalog, to find mistyped ones in a key's lists. */
  readonly apiIds: readonly string[]
}

/** The most days of usage to ask for: nearly a century. Far more would lead before the first date there is. */
export const maxUsageDays = 36_500

/** Creates what the commands and the service use to manage accounts and keys. */
export function createAccounts({ store, plans, clock, random, apiIds }: AccountsParts): Accounts {
  function toListed(account: AccountRecord): ListedAccount {
    if (account.closedMs !== null) return { ...account, problem: null }
    const problem = plans.has(account.plan) ? monthAhead(account, clock.now()) : missingPlan(account)
    return { ...account, problem }
  }

  async function requireLiveKey(id: string): Promise<KeyRecord> {
    const key = await store.findKeyById(id)
    if (!key)
      throw new AccountError(
        `There is no key '${id}'. 'key list' shows them all; a key's id starts with key_.`,
      )
    if (key.revokedMs === null) return key
    throw new AccountError(`Key '${id}' is revoked; make a new one with 'key create'.`)
  }

  function createSecret(createdMs: number) {
    const text = createKey(random)
    return { text, secret: { hash: hashKey(text), prefix: visiblePrefix(text), createdMs } }
  }

  return {
    async create(name, planName) {
      const plan = requireNewAccount(name, planName, plans)
      const nowMs = clock.now()
      const account: AccountRecord = {
        id: createId("acc", random),
        name,
        plan: plan.name,
        createdMs: nowMs,
        closedMs: null,
        periodStartMs: nowMs,
        used: 0,
        bonus: plan.signUpBonus,
      }
      await store.createAccount(account)
      return account
    },
    list: async () => (await store.listAccounts()).map(toListed),
    async show(id) {
      const account = await requireAccount(store, id)
      const plan = plans.get(account.plan) ?? null
      const balance = balanceOf(account, plan ?? { monthlyCredits: 0 }, clock.now())
      return { account: toListed(account), plan, balance, keys: await store.listKeys(id) }
    },
    async setPlan(id, planName) {
      requirePlan(planName, plans)
      await requireOpenAccount(store, id)
      await store.updateAccount(id, { plan: planName })
    },
    async grant(id, credits) {
      await requireOpenAccount(store, id)
      if (!Number.isSafeInteger(credits) || credits < 1) {
        throw new AccountError("The credits to grant must be a whole number, 1 or more.")
      }
      if (await store.grant(id, credits, maxCredits)) return
      const { bonus } = await requireOpenAccount(store, id)
      throw new AccountError(
        `The bonus of an account can be ${maxCredits} credits at most; '${id}' has ${bonus}: grant ` +
          `${Math.max(0, maxCredits - bonus)} or less.`,
      )
    },
    async renew(id) {
      const account = await requireOpenAccount(store, id)
      const nowMs = clock.now()
      const createdMs = Math.min(account.createdMs, nowMs)
      await store.renewMonth(id, { createdMs, periodStartMs: periodAt(createdMs, nowMs).startMs })
    },
    async closeAccount(id) {
      await requireOpenAccount(store, id)
      await store.updateAccount(id, { closedMs: clock.now() })
    },
    async usage(id, days) {
      await requireAccount(store, id)
      if (!Number.isInteger(days) || days < 1 || days > maxUsageDays) {
        throw new AccountError(`The number of days must be a whole number from 1 to ${maxUsageDays}.`)
      }
      const since = new Date(clock.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)
      return store.usage(id, since)
    },

    async createKey(key) {
      await requireOpenAccount(store, key.accountId)
      const nowMs = clock.now()
      if (key.expiresMs !== undefined && key.expiresMs <= nowMs) {
        throw new AccountError("The expiry of a new key must be in the future.")
      }
      refuseHidden(key.name ?? "", "The name of a key", "name")
      const networks = requireNetworks(key.allowIps ?? [])
      requireRateLimit(key.rateLimit)
      const { text, secret } = createSecret(nowMs)
      const record: KeyRecord = {
        id: createId("key", random),
        accountId: key.accountId,
        name: key.name ?? "",
        prefix: secret.prefix,
        createdMs: nowMs,
        expiresMs: key.expiresMs ?? null,
        revokedMs: null,
        allowApis: key.allowApis?.length ? requireApis(key.allowApis, apiIds, "allow_apis") : null,
        blockApis: requireApis(key.blockApis ?? [], apiIds, "block_apis"),
        allowIps: networks.length > 0 ? networks : null,
        rateLimit: key.rateLimit ?? null,
      }
      await store.createKey(record, secret)
      return { id: record.id, key: text }
    },
    async listKeys(accountId) {
      if (accountId !== undefined) await requireAccount(store, accountId)
      return store.listKeys(accountId)
    },
    async rotateKey(id, graceMs) {
      const key = await requireLiveKey(id)
      const nowMs = clock.now()
      const { text, secret } = createSecret(nowMs)
      await store.rotateKey(key.id, secret, nowMs + graceMs)
      return { id: key.id, key: text }
    },
    async revokeKey(id) {
      await requireLiveKey(id)
      await store.revokeKey(id, clock.now())
    },
  }
}

function requireRateLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isInteger(limit) && limit >= 1 && limit <= maxCallsPerMinute)) return
  const most = maxCallsPerMinute.toLocaleString("en-US")
  throw new AccountError(`The rate limit of a key must be a whole number from 1 to ${most} calls a minute.`)
}
