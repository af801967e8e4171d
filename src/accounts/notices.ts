import type { Random } from "../apis/contract.ts"
import type { AttemptRecord, NoticeRecord, Outbox } from "../store/outbox.ts"
import type { AccountRecord, Store } from "../store/store.ts"
import { AccountError } from "./accounts.ts"
import { createWebhookSecret, requireWebhookUrl } from "./webhook.ts"

/** The percents of a month's allowance that an account is told of. */
export const noticeThresholds: readonly number[] = [80, 95]

export interface NewWebhook {
  readonly url: string
  /** The signing secret. The only time it is shown. */
  readonly secret: string
}

/** What operators do with notices. Everything that cannot be done throws {@link AccountError}. */
export interface Notices {
  /** Sets an account's webhook, in place of an earlier one, with a secret of its own. */
  setWebhook(accountId: string, url: string, options: { allowPrivate: boolean }): Promise<NewWebhook>
  /** Takes an account's webhook away; what was waiting for it is not sent. */
  clearWebhook(accountId: string): Promise<void>
  /** Notices, of one account or of all, oldest first. */
  list(accountId?: string): Promise<readonly NoticeRecord[]>
  /** The delivery log, of one account or of all, oldest first. */
  attempts(accountId?: string): Promise<readonly AttemptRecord[]>
}

export interface NoticesParts {
  readonly outbox: Outbox
  readonly store: Pick<Store, "findAccount">
  readonly random: Random
}

export function createNotices({ outbox, store, random }: NoticesParts): Notices {
  async function requireAccount(id: string): Promise<AccountRecord> {
    const account = await store.findAccount(id)
    if (account) return account
    throw new AccountError(`There is no account '${id}'. 'account list' shows them all.`)
  }

  return {
    async setWebhook(accountId, text, { allowPrivate }) {
      const { closedMs } = await requireAccount(accountId)
      if (closedMs !== null) throw new AccountError(`Account '${accountId}' is closed and gets no notices.`)
      const url = requireWebhookUrl(text, allowPrivate)
      const secret = createWebhookSecret(random)
      await outbox.setWebhook(accountId, { url, secret, allowPrivate })
      return { url, secret }
    },
    async clearWebhook(accountId) {
      await requireAccount(accountId)
      await outbox.setWebhook(accountId, null)
    },
    async list(accountId) {
      if (accountId !== undefined) await requireAccount(accountId)
      return outbox.list(accountId)
    },
    async attempts(accountId) {
      if (accountId !== undefined) await requireAccount(accountId)
      return outbox.attempts(accountId)
    },
  }
}
