import { AccountError } from "../accounts/requirements.ts"
import { createProgramRun, type ProgramParts } from "../admin/program-run.ts"
import type { ApiDefinition } from "../apis/contract.ts"
import type { Guests } from "../call/guests.ts"
import type { Config } from "../config/load.ts"
import type { Log } from "../ports/log.ts"
import type { AdminStore } from "../store/admin-reads.ts"
import type { AccountDetails } from "../store/admin-store.ts"
import { guestApis } from "./served-apis.ts"

/** The external id of the account for calls without a key. */
const guestsExternalId = "guests"

interface GuestParts extends ProgramParts {
  readonly log: Pick<Log, "warn">
  /** The ids of the APIs that come with the program. */
  readonly ownIds: readonly string[]
}

/**
 * Calls without a key under a configuration; null when they are refused. Makes the guests' account and its key, once for all
 * processes and starts, and gives the account the plan of `[try]`.
 * @throws ConfigError for an unknown API
 */
export async function openGuests(
  config: Pick<Config, "tryCalls" | "tryApis" | "tryPlan">,
  definitions: readonly ApiDefinition[],
  parts: GuestParts,
): Promise<Guests | null> {
  if (config.tryCalls === 0) return null
  const apis = guestApis(config, definitions, parts.ownIds)
  const account = await findAccount(config.tryPlan, parts)
  if (account.closedMs !== null) {
    parts.log.warn("calls without a key are refused", {
      problem: `Account ${account.id}, on which they run, is closed. Reopen it with 'account reopen ${account.id}'.`,
    })
    return null
  }
  const secretHash = await findKeyHash(account.id, parts)
  return { secretHash, callsPerMinute: config.tryCalls, apis: new Set(apis.map(({ id }) => id)) }
}

async function findAccount(plan: string, parts: GuestParts): Promise<AccountDetails> {
  const run = createProgramRun(parts)
  const found = await readAccount(parts.admin)
  if (found === null) {
    // Operations are loaded when they are used: a start is faster.
    const { createAccount } = await import("../admin/accounts/create-account.ts")
    try {
      await run(createAccount, { name: "Calls without a key", plan, external_id: guestsExternalId })
    } catch (thrown) {
      // Another process of the service has made it at the same time.
      if (!(thrown instanceof AccountError && (await readAccount(parts.admin)))) throw thrown
    }
  } else if (found.plan !== plan && found.closedMs === null) {
    const { updateAccount } = await import("../admin/accounts/change-account.ts")
    await run(updateAccount, { id: found.id, plan })
  }
  const account = await readAccount(parts.admin)
  if (account) return account
  throw new Error("the account for calls without a key must be there")
}

async function readAccount(admin: Pick<AdminStore, "accounts">): Promise<AccountDetails | null> {
  const [account] = await admin.accounts({ externalId: guestsExternalId }, { limit: 1, after: null })
  return account ?? null
}

/** The hash of the oldest key that works, so that all processes choose the same; a new one if there is none. */
async function findKeyHash(accountId: string, parts: GuestParts): Promise<string> {
  const { admin } = parts
  const find = async () => {
    const keys = await admin.keys({ accountId }, { limit: 100, after: null })
    const key = keys.find(
      ({ revokedMs, disabledMs, expiresMs }) => (revokedMs ?? disabledMs ?? expiresMs) === null,
    )
    return key ? admin.findSecretHash(key.id) : null
  }
  const found = await find()
  if (found !== null) return found
  const { createApiKey } = await import("../admin/keys/issue-key.ts")
  // Its text is not kept: nobody can call with it from elsewhere.
  await createProgramRun(parts)(createApiKey, { account: accountId, name: "calls without a key" })
  const made = await find()
  if (made !== null) return made
  throw new Error("the key for calls without a key must be there")
}
