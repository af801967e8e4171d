import { type Balance, balanceOf } from "../../src/accounts/credits.ts"
import { getAccount } from "../../src/admin/accounts/account.ts"
import { closeAccount, updateAccount } from "../../src/admin/accounts/change-account.ts"
import { grantCredits, renewCredits } from "../../src/admin/credits/change-credits.ts"
import { rotateKey } from "../../src/admin/keys/issue-key.ts"
import { type Accounts, createProgramAccounts } from "../../src/admin/program-accounts.ts"
import { createProgramRun, type ProgramParts } from "../../src/admin/program-run.ts"
import { queryUsage } from "../../src/admin/usage/query.ts"
import { deleteWebhook, setWebhook } from "../../src/admin/webhooks/webhook.ts"
import type { AccountDetails, KeyDetails } from "../../src/store/admin-store.ts"
import type { AttemptRecord, NoticeRecord } from "../../src/store/outbox.ts"
import type { UsageRow } from "../../src/store/store.ts"
import { attemptsOf } from "./changes.ts"

/** Accounts as tests look at them and change them. Each change is an operation of the administration. */
export interface TestAccounts extends Accounts {
  show(id: string): Promise<{
    readonly account: AccountDetails & { readonly problem: string | null }
    readonly balance: Balance
    readonly keys: readonly KeyDetails[]
  }>
  setPlan(id: string, plan: string): Promise<void>
  grant(id: string, credits: number): Promise<void>
  renew(id: string): Promise<void>
  closeAccount(id: string): Promise<void>
  /** Usage by day and API of the last `days` days, today included, newest day first. */
  usage(id: string, days: number): Promise<readonly UsageRow[]>
  /** Rotates the text of a key. The old one works for `graceMs` longer, in whole seconds. */
  rotateKey(id: string, graceMs: number): Promise<Awaited<ReturnType<Accounts["createKey"]>>>
}

/** Webhooks and notices of a store. Lists are oldest first. */
export interface TestNotices {
  setWebhook(
    id: string,
    url: string,
    options: { allowPrivate: boolean },
  ): Promise<{ url: string; secret: string }>
  clearWebhook(id: string): Promise<void>
  list(accountId?: string): Promise<readonly NoticeRecord[]>
  attempts(accountId?: string): Promise<readonly AttemptRecord[]>
}

const all = { limit: 10_000, after: null }

export function createTestAccounts(parts: ProgramParts): TestAccounts {
  const { admin, plans, clock } = parts
  const run = createProgramRun(parts)
  return {
    ...createProgramAccounts(parts),
    async show(id) {
      const { problem } = await run(getAccount, { id })
      const account = await admin.findAccount(id)
      if (account === null) throw new Error("the account was there just now")
      const balance = balanceOf(account, plans.get(account.plan) ?? { monthlyCredits: 0 }, clock.now())
      return { account: { ...account, problem }, balance, keys: await admin.keys({ accountId: id }, all) }
    },
    setPlan: async (id, plan) => void (await run(updateAccount, { id, plan })),
    grant: async (id, credits) => void (await run(grantCredits, { id, credits })),
    renew: async (id) => void (await run(renewCredits, { id, anyway: true })),
    closeAccount: async (id) => void (await run(closeAccount, { id })),
    async usage(account, days) {
      const { data } = await run(queryUsage, { account, days, limit: 1_000 })
      return data.map(({ day = "", api = "", calls, credits = 0 }) => ({ day, api, calls, credits }))
    },
    async rotateKey(id, graceMs) {
      const grace = graceMs === 0 ? "0" : `${Math.ceil(graceMs / 1_000)}s`
      const { key } = await run(rotateKey, { id, grace })
      return { id, key: key ?? "" }
    },
  }
}

export function createTestNotices(parts: ProgramParts): TestNotices {
  const { admin } = parts
  const run = createProgramRun(parts)
  return {
    async setWebhook(id, text, { allowPrivate }) {
      const { url, secret } = await run(setWebhook, { id, url: text, allow_private: allowPrivate })
      return { url: url ?? "", secret: secret ?? "" }
    },
    clearWebhook: async (id) => void (await run(deleteWebhook, { id })),
    async list(accountId) {
      const records = await admin.notices({ accountId }, all)
      const sortValues = (one: NoticeRecord) => [one.raisedMs, one.periodStartMs, one.threshold ?? 0]
      return records.toSorted((a, b) => {
        const others = sortValues(b)
        return (
          sortValues(a)
            .map((value, index) => value - (others[index] ?? 0))
            .find((difference) => difference !== 0) ?? 0
        )
      })
    },
    attempts: (accountId) => attemptsOf(admin, accountId),
  }
}
