import { requireAccount } from "../accounts/require-account.ts"
import type { AttemptRecord, NoticeRecord, Outbox } from "../store/outbox.ts"
import { createProgramRun, type ProgramParts } from "./program-run.ts"

export interface NewWebhook {
  readonly url: string
  /** The signing secret. It is shown only here. */
  readonly secret: string
}

/**
 * Webhooks and notices for the program itself and for tests. Every change is an operation of the administration. Every method
 * throws AccountError for what cannot be done.
 */
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

/** Creates what the program itself sets webhooks and lists notices with. Operations are loaded when they are used. */
export function createProgramNotices(parts: ProgramParts & { readonly outbox: Outbox }): Notices {
  const { store, outbox } = parts
  const run = createProgramRun(parts)
  return {
    async setWebhook(id, text, { allowPrivate }) {
      const { setWebhook } = await import("./webhooks/set.ts")
      const { url, secret } = await run(setWebhook, { id, url: text, allow_private: allowPrivate })
      if (url === null || secret === null) throw new Error(`the new webhook of account ${id} is missing`)
      return { url, secret }
    },
    async clearWebhook(id) {
      await requireAccount(store, id)
      if ((await outbox.findWebhook(id)) === null) return
      const { deleteWebhook } = await import("./webhooks/delete.ts")
      await run(deleteWebhook, { id })
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
