import type { Clock, Random } from "../apis/contract.ts"
import type { AccountRecord, KeyRecord, Store, UsageRow } from "../store/store.ts"
import { toNetworks } from "../values/ip.ts"
import { type Balance, balanceOf, monthAhead } from "./credits.ts"
import { createId, createKey, hashKey, visiblePrefix } from "./key.ts"
import { periodAt } from "./period.ts"
import { maxCallsPerMinute, maxCredits, missingPlan, type Plan, type Plans } from "./plan.ts"

/** An order that cannot be carried out; the message says what to change. */
export class AccountError extends Error {
  override readonly name = "AccountError"
}

export interface NewKey {
  readonly accountId: string
  readonly name?: string
  readonly expiresMs?: number
  readonly allowApis?: readonly string[]
  readonly blockApis?: readonly string[]
  readonly allowIps?: readonly string[]
  readonly rateLimit?: number
}

/** A key that was just made: the only time its text is to be had. */
export interface IssuedKey {
  readonly id: string
  readonly key: string
}

export interface ListedAccount extends AccountRecord {
  /** What is wrong with it and how to mend it; null when nothing is. */
  readonly problem: string | null
}

export interface AccountStatus {
  readonly account: ListedAccount
  /** Null when it is not configured; the balance is then one without an allowance. */
  readonly plan: Plan | null
  readonly balance: Balance
  readonly keys: readonly KeyRecord[]
}

/** What operators do with accounts and keys. Everything that cannot be done throws {@link AccountError}. */
export interface Accounts {
  create(name: string, plan: string): Promise<AccountRecord>
  list(): Promise<readonly ListedAccount[]>
  show(id: string): Promise<AccountStatus>
  setPlan(id: string, plan: string): Promise<void>
  /** Adds credits to the bonus, up to {@link maxCredits}. */
  grant(id: string, credits: number): Promise<void>
  /**
   * Begins the account's month anew: the one that the present time falls into by its creation, with nothing used. An
   * account that was made under a clock ahead counts as made now. Bonus and usage are left as they are.
   */
  renew(id: string): Promise<void>
  /** Ends an account; its keys stop working. */
  closeAccount(id: string): Promise<void>
  usage(id: string, days: number): Promise<readonly UsageRow[]>

  createKey(key: NewKey): Promise<IssuedKey>
  listKeys(accountId?: string): Promise<readonly KeyRecord[]>
  /** A new secret for a key; the old one works for `graceMs` more. */
  rotateKey(id: string, graceMs: number): Promise<IssuedKey>
  revokeKey(id: string): Promise<void>
}

export interface AccountsParts {
  readonly store: Store
  readonly plans: Plans
  readonly clock: Clock
  readonly random: Random
  /** Ids of the catalog, to catch a mistyped one in an allow or block list. */
  readonly apiIds: readonly string[]
}

export function createAccounts({ store, plans, clock, random, apiIds }: AccountsParts): Accounts {
  async function requireAccount(id: string): Promise<AccountRecord> {
    const account = await store.findAccount(id)
    if (account) return account
    throw new AccountError(`There is no account '${id}'. 'account list' shows them all.`)
  }

  async function requireOpenAccount(id: string): Promise<AccountRecord> {
    const account = await requireAccount(id)
    if (account.closedMs === null) return account
    throw new AccountError(`Account '${id}' is closed and stays so; make another with 'account create'.`)
  }

  function toListed(account: AccountRecord): ListedAccount {
    // A closed account has nothing left to mend.
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
    if (key.revokedMs !== null)
      throw new AccountError(`Key '${id}' is revoked; make a new one with 'key create'.`)
    return key
  }

  function requireApis(ids: readonly string[]): readonly string[] {
    for (const id of ids) {
      if (!apiIds.includes(id)) {
        throw new AccountError(`There is no API '${id}'. The APIs are ${apiIds.join(", ")}.`)
      }
    }
    return ids
  }

  function issue(nowMs: number) {
    const text = createKey(random)
    return { text, secret: { hash: hashKey(text), prefix: visiblePrefix(text), createdMs: nowMs } }
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
      const account = await requireAccount(id)
      const plan = plans.get(account.plan) ?? null
      const balance = balanceOf(account, plan ?? { monthlyCredits: 0 }, clock.now())
      return { account: toListed(account), plan, balance, keys: await store.listKeys(id) }
    },
    async setPlan(id, planName) {
      requirePlan(planName, plans)
      await requireOpenAccount(id)
      await store.updateAccount(id, { plan: planName })
    },
    async grant(id, credits) {
      await requireOpenAccount(id)
      if (!Number.isSafeInteger(credits) || credits < 1) {
        throw new AccountError("The credits to grant must be a whole number, 1 or more.")
      }
      if (await store.grant(id, credits, maxCredits)) return
      const bonus = (await requireOpenAccount(id)).bonus
      throw new AccountError(
        `The bonus of an account can be ${maxCredits} credits at most; '${id}' has ${bonus}: grant ` +
          `${Math.max(0, maxCredits - bonus)} or less.`,
      )
    },
    async renew(id) {
      const account = await requireOpenAccount(id)
      const nowMs = clock.now()
      const createdMs = Math.min(account.createdMs, nowMs)
      await store.renewMonth(id, { createdMs, periodStartMs: periodAt(createdMs, nowMs).startMs })
    },
    async closeAccount(id) {
      await requireOpenAccount(id)
      await store.updateAccount(id, { closedMs: clock.now() })
    },
    async usage(id, days) {
      await requireAccount(id)
      const since = new Date(clock.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)
      return store.usage(id, since)
    },

    async createKey(key) {
      await requireOpenAccount(key.accountId)
      const nowMs = clock.now()
      if (key.expiresMs !== undefined && key.expiresMs <= nowMs) {
        throw new AccountError("The expiry of a new key must be in the future.")
      }
      const networks = requireNetworks(key.allowIps ?? [])
      requireRateLimit(key.rateLimit)
      const { text, secret } = issue(nowMs)
      const record: KeyRecord = {
        id: createId("key", random),
        accountId: key.accountId,
        name: key.name ?? "",
        prefix: secret.prefix,
        createdMs: nowMs,
        expiresMs: key.expiresMs ?? null,
        revokedMs: null,
        allowApis: key.allowApis?.length ? requireApis(key.allowApis) : null,
        blockApis: requireApis(key.blockApis ?? []),
        allowIps: networks.length > 0 ? networks : null,
        rateLimit: key.rateLimit ?? null,
      }
      await store.createKey(record, secret)
      return { id: record.id, key: text }
    },
    async listKeys(accountId) {
      if (accountId !== undefined) await requireAccount(accountId)
      return store.listKeys(accountId)
    },
    async rotateKey(id, graceMs) {
      const key = await requireLiveKey(id)
      const nowMs = clock.now()
      const { text, secret } = issue(nowMs)
      await store.rotateKey(key.id, secret, nowMs + graceMs)
      return { id: key.id, key: text }
    },
    async revokeKey(id) {
      await requireLiveKey(id)
      await store.revokeKey(id, clock.now())
    },
  }
}

/**
 * What a new account needs, checked by itself for whoever wants to know before a data file is made.
 * @throws {AccountError} saying what to change
 */
export function requireNewAccount(name: string, plan: string, plans: Plans): Plan {
  if (name.trim() === "") throw new AccountError("An account needs a name.")
  return requirePlan(plan, plans)
}

function requirePlan(name: string, plans: Plans): Plan {
  const plan = plans.get(name)
  if (plan) return plan
  throw new AccountError(`There is no plan '${name}'. The plans are ${[...plans.keys()].join(", ")}.`)
}

function requireRateLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isInteger(limit) && limit >= 1 && limit <= maxCallsPerMinute)) return
  const most = maxCallsPerMinute.toLocaleString("en-US")
  throw new AccountError(`The rate limit of a key must be a whole number from 1 to ${most} calls a minute.`)
}

function requireNetworks(texts: readonly string[]): readonly string[] {
  try {
    toNetworks(texts)
  } catch (cause) {
    throw new AccountError(`${cause instanceof Error ? cause.message : String(cause)}.`)
  }
  return texts
}
