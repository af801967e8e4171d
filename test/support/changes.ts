import type { AdminStore } from "../../src/store/admin-reads.ts"
import type { Mutation } from "../../src/store/admin-store.ts"
import type { AttemptRecord, Outbox, Webhook } from "../../src/store/outbox.ts"
import type { AccountRecord, KeyRecord, SecretRecord, Store, UsageRow } from "../../src/store/store.ts"
import type { UsageQuery } from "../../src/store/usage-types.ts"
import { accountDetailsOf, changeOf, grantOf, keyDetailsOf } from "./admin-store.ts"

/** Changes that tests make to prepare a store, and what they read of it. False is a change that was not made. */
export interface TestChanges {
  /** Usage of an account by day and API, newest day first; all of 2025 by default, the year of most tests. */
  usage(accountId: string, days?: Pick<UsageQuery, "fromDay" | "toDay">): Promise<readonly UsageRow[]>
  createAccount(account: AccountRecord): Promise<void>
  updateAccount(id: string, set: { readonly plan?: string; readonly closedMs?: number }): Promise<boolean>
  grant(id: string, credits: number, maxBonus: number): Promise<boolean>
  renewMonth(id: string, month: Pick<AccountRecord, "createdMs" | "periodStartMs">): Promise<boolean>
  /** Rejects without its account. */
  createKey(key: KeyRecord, secret: SecretRecord): Promise<void>
  rotateKey(id: string, secret: SecretRecord, othersUntilMs: number): Promise<boolean>
  revokeKey(id: string, revokedMs: number): Promise<boolean>
}

/** Makes each change as an operation does: with its audit record, and for the version that is there. */
export function changesOf(admin: AdminStore): TestChanges {
  const apply = (mutation: Mutation) => admin.apply(changeOf([mutation]))
  const isApplied = async (mutation: Mutation) => (await apply(mutation)) === "applied"

  async function require(mutation: Mutation): Promise<void> {
    const outcome = await apply(mutation)
    if (outcome !== "applied") throw new Error(`${mutation.kind} is ${outcome}`)
  }

  return {
    async usage(accountId, days = { fromDay: "2025-01-01", toDay: "2025-12-31" }) {
      const query = { accountIds: [accountId], ...days, by: ["day", "api"] } as const
      const { sums } = await admin.usage(query, { limit: 1_000, after: null })
      return sums.map(({ day, api, calls, credits }) => ({ day, api, calls, credits }))
    },
    createAccount: (account) => require({ kind: "account.insert", account: accountDetailsOf(account) }),
    async updateAccount(id, set) {
      const version = (await admin.findAccount(id))?.version ?? 1
      return isApplied({ kind: "account.update", id, version, set })
    },
    grant: (id, credits, maxBonus) => isApplied(grantOf(id, credits, maxBonus)),
    renewMonth: (id, month) => isApplied({ kind: "account.renew", id, ...month }),
    createKey: (key, secret) => require({ kind: "key.insert", key: keyDetailsOf(key), secret }),
    async rotateKey(id, secret, othersUntilMs) {
      const version = (await admin.findKey(id))?.version ?? 1
      return isApplied({ kind: "key.rotate", id, version, secret, othersUntilMs })
    },
    async revokeKey(id, revokedMs) {
      const version = (await admin.findKey(id))?.version ?? 1
      return isApplied({ kind: "key.update", id, version, set: { revokedMs } })
    },
  }
}

/** The delivery log: every attempt for the notices of one account, or of all, oldest first. */
export const attemptsOf = async (admin: AdminStore, accountId?: string): Promise<readonly AttemptRecord[]> =>
  (await admin.noticeAttempts({ accountId }, { limit: 10_000, after: null })).toReversed()

/** A store with the changes of tests, and an outbox whose webhooks they can set. */
export function withChanges<
  T extends { readonly store: Store; readonly admin: AdminStore; readonly outbox: Outbox },
>(opened: T) {
  const { store, admin, outbox } = opened
  return {
    ...opened,
    store: { ...store, ...changesOf(admin) },
    outbox: {
      ...outbox,
      attempts: (accountId?: string) => attemptsOf(admin, accountId),
      async setWebhook(accountId: string, webhook: Webhook | null): Promise<boolean> {
        return (await admin.apply(changeOf([{ kind: "webhook.set", accountId, webhook }]))) === "applied"
      },
    },
  }
}

/** The methods that {@link withChanges} adds to a store. */
export type ChangingStore = Store & TestChanges
