import type { Random } from "../apis/contract.ts"
import type { AttemptRecord, NoticeRecord, Outbox } from "../store/outbox.ts"
import type { Store } from "../store/store.ts"
import { requireAccount, requireOpenAccount } from "./require-account.ts"
import { createWebhookSecret, requireWebhookUrl } from "./webhook.ts"

/** An account gets a notice when it has used so many percent of a month's allowance. */
export const noticeThresholds: readonly number[] = [80, 95]

export interface NewWebhook {
  readonly url: string
  /** The signing secret. It is shown only here. */
  readonly secret: string
}

/** The operator's work with notices. Every method throws AccountError for what cannot be done. */
export interface Notices {
  /** Sets or replaces the webhook of an account, with a new secret. */
  setWebhook(accountId: string, url: string, options: { allowPrivate: boolean }): Promise<NewWebhook>
  /** Removes the webhook of an account. Its pending notices are not sent. */
  clearWebhook(accountId: string): Promise<void>
  /** Notices of one account, or of all, oldest first. */
  list(accountId?: string): Promise<readonly NoticeRecord[]>
  /** The delivery log of one account, or of all, oldest first. */
  attempts(accountId?: string): Promise<readonly AttemptRecord[]>
}

export interface NoticesParts {
  readonly outbox: Outbox
  readonly store: Pick<Store, "findAccount">
  readonly random: Random
}

/** Creates what the commands use to set webhooks and to list notices. */
export function createNotices({ outbox, store, random }: NoticesParts): Notices {
  return {
    async setWebhook(accountId, text, { allowPrivate }) {
      await requireOpenAccount(store, accountId)
      const url = requireWebhookUrl(text, allowPrivate)
      const secret = createWebhookSecret(random)
      await outbox.setWebhook(accountId, { url, secret, allowPrivate })
      return { url, secret }
    },
    async clearWebhook(accountId) {
      await requireAccount(store, accountId)
      await outbox.setWebhook(accountId, null)
    },
    async list(accountId) {
      if (accountId !== undefined) await requireAccount(store, accountId)
      return outbox.list(accountId)
    },
    async attempts(accountId) {
      if (accountId !== undefined) await requireAccount(store, accountId)
      return outbox.attempts(accountId)
    },
  }
}
