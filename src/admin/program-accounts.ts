import { AccountError } from "../accounts/account-error.ts"
import { type Balance, balanceOf, monthAhead } from "../accounts/credits.ts"
import { splitDeprecatedEntry } from "../accounts/deprecated-entry.ts"
import { missingPlan, type Plan } from "../accounts/plan.ts"
import { requireAccount } from "../accounts/require-account.ts"
import type { AccountRecord, KeyRecord, UsageRow } from "../store/store.ts"
import type { OptionalEvent } from "./accounts/events.ts"
import { createProgramRun, type ProgramParts } from "./program-run.ts"

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

/**
 * Accounts and keys for the program itself: the demo, the mock, tests. Every change is an operation of the administration, so it
 * leaves an audit record. Every method throws {@link AccountError} for what cannot be done.
 */
export interface Accounts {
  /** @param events what its webhook gets besides the thresholds; nothing by default */
  create(name: string, plan: string, events?: readonly OptionalEvent[]): Promise<{ readonly id: string }>
  /** All accounts, oldest first. */
  list(): Promise<readonly ListedAccount[]>
  show(id: string): Promise<AccountStatus>
  setPlan(id: string, plan: string): Promise<void>
  /** Adds bonus credits. */
  grant(id: string, credits: number): Promise<void>
  /** Starts the current credit month again with zero usage, also where it is not in the future. */
  renew(id: string): Promise<void>
  closeAccount(id: string): Promise<void>
  /** Usage by day and API of the last `days` days, {@link maxUsageDays} at most, today included, newest day first. */
  usage(id: string, days: number): Promise<readonly UsageRow[]>

  createKey(key: NewKey): Promise<IssuedKey>
  /** The keys of one account, or of all, oldest first. */
  listKeys(accountId?: string): Promise<readonly KeyRecord[]>
  /** Gives a key a new secret. The old one works for `graceMs` longer, in whole seconds. */
  rotateKey(id: string, graceMs: number): Promise<IssuedKey>
  revokeKey(id: string): Promise<void>
}

/** The most days of usage to ask for: nearly a century. Far more would lead before the first date there is. */
export const maxUsageDays = 36_500

/** Creates what the program itself manages accounts and keys with. Operations are loaded when they are used: a start is faster. */
export function createProgramAccounts(parts: ProgramParts): Accounts {
  const { store, plans, clock } = parts
  const run = createProgramRun(parts)

  function toListed(account: AccountRecord): ListedAccount {
    if (account.closedMs !== null) return { ...account, problem: null }
    const problem = plans.has(account.plan) ? monthAhead(account, clock.now()) : missingPlan(account)
    return { ...account, problem }
  }

  return {
    async create(name, plan, events = []) {
      const { createAccount } = await import("./accounts/create.ts")
      return run(createAccount, { name, plan, events: [...events] })
    },
    list: async () => (await store.listAccounts()).map(toListed),
    async show(id) {
      const account = await requireAccount(store, id)
      const plan = plans.get(account.plan) ?? null
      const balance = balanceOf(account, plan ?? { monthlyCredits: 0 }, clock.now())
      return { account: toListed(account), plan, balance, keys: await store.listKeys(id) }
    },
    async setPlan(id, plan) {
      const { updateAccount } = await import("./accounts/update.ts")
      await run(updateAccount, { id, plan })
    },
    async grant(id, credits) {
      const { grantCredits } = await import("./credits/grant.ts")
      await run(grantCredits, { id, credits })
    },
    async renew(id) {
      const { renewCredits } = await import("./credits/renew.ts")
      await run(renewCredits, { id, anyway: true })
    },
    async closeAccount(id) {
      const { closeAccount } = await import("./accounts/close.ts")
      await run(closeAccount, { id })
    },
    async usage(id, days) {
      await requireAccount(store, id)
      if (!Number.isInteger(days) || days < 1 || days > maxUsageDays) {
        throw new AccountError(`The number of days must be a whole number from 1 to ${maxUsageDays}.`)
      }
      const since = new Date(clock.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)
      return (await store.usage(id, since)).filter(({ api }) => splitDeprecatedEntry(api) === null)
    },

    async createKey({ accountId, name, expiresMs, allowApis, blockApis, allowIps, rateLimit }) {
      const values = {
        account: accountId,
        name,
        expires: expiresMs === undefined ? undefined : new Date(expiresMs).toISOString(),
        allow_apis: allowApis,
        block_apis: blockApis,
        allow_ips: allowIps,
        rate_limit: rateLimit,
      }
      const { createApiKey } = await import("./keys/create.ts")
      return issued(await run(createApiKey, values))
    },
    async listKeys(accountId) {
      if (accountId !== undefined) await requireAccount(store, accountId)
      return store.listKeys(accountId)
    },
    async rotateKey(id, graceMs) {
      const { rotateKey } = await import("./keys/rotate.ts")
      const grace = graceMs === 0 ? "0" : `${Math.ceil(graceMs / 1_000)}s`
      return issued(await run(rotateKey, { id, grace }))
    },
    async revokeKey(id) {
      const { revokeKey } = await import("./keys/revoke.ts")
      await run(revokeKey, { id })
    },
  }
}

/** The first answer has the key's text; only repeated ones do not. */
function issued({ id, key }: { readonly id: string; readonly key: string | null }): IssuedKey {
  if (key === null) throw new Error(`the new text of key ${id} is missing`)
  return { id, key }
}
