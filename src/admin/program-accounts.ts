import { toIso } from "../values/time-text.ts"
import type { OptionalEvent } from "./accounts/account.ts"
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

/**
 * Accounts and keys for the program itself: the demo and the mock. Every change is an operation of the administration, so it
 * leaves an audit record. Every method throws AccountError for what cannot be done.
 */
export type Accounts = ReturnType<typeof createProgramAccounts>

/** Creates {@link Accounts}. Operations are loaded when they are used: a start is faster. */
export function createProgramAccounts(parts: ProgramParts) {
  const run = createProgramRun(parts)
  return {
    /** Whether there is an account, closed ones included. */
    hasAny: async () => (await parts.admin.accounts({}, { limit: 1, after: null })).length > 0,
    /** @param events what its webhook gets besides the thresholds; nothing by default */
    async create(name: string, plan: string, events: readonly OptionalEvent[] = []) {
      const { createAccount } = await import("./accounts/create-account.ts")
      return run(createAccount, { name, plan, events: [...events] })
    },
    /** The text of the key is returned only here; the store keeps a hash. */
    async createKey({ accountId, name, expiresMs, allowApis, blockApis, allowIps, rateLimit }: NewKey) {
      const values = {
        account: accountId,
        name,
        expires: expiresMs === undefined ? undefined : toIso(expiresMs),
        allow_apis: allowApis,
        block_apis: blockApis,
        allow_ips: allowIps,
        rate_limit: rateLimit,
      }
      const { createApiKey } = await import("./keys/issue-key.ts")
      const { id, key } = await run(createApiKey, values)
      if (key === null) throw new Error(`the text of the new key ${id} is missing`)
      return { id, key }
    },
    async revokeKey(id: string) {
      const { revokeKey } = await import("./keys/change-key.ts")
      await run(revokeKey, { id })
    },
  }
}
