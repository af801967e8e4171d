import { daysBeforeExpiry, keyChangedEvent, keyExpiringEvent, warningMs } from "../../accounts/event-data.ts"
import type { KeyDetails, Mutation } from "../../store/admin-store.ts"
import type { OptionalEvent } from "../accounts/account.ts"
import type { AdminContext } from "../operation.ts"

type Context = Pick<AdminContext, "admin" | "clock">

/** Raises `key.created` or `key.revoked` in the transaction of the change, if the key's account gets it. */
export async function raiseKeyChanged(
  type: "key.created" | "key.revoked",
  key: KeyDetails,
  context: Context,
): Promise<readonly Mutation[]> {
  if (!(await isWanted(type, key, context))) return []
  return [toInsert(type, key, keyChangedEvent(type, key), context)]
}

/** Raises `key.expiring` for a new expiry that is near: the check for events finds only later ones. */
export async function raiseExpiring({ expiresMs, ...key }: KeyDetails, context: Context) {
  const nowMs = context.clock.now()
  if (expiresMs === null || expiresMs <= nowMs) return []
  const days = daysBeforeExpiry.findLast((days) => warningMs(expiresMs, days) <= nowMs)
  if (days === undefined || !(await isWanted("key.expiring", key, context))) return []
  return [toInsert("key.expiring", key, keyExpiringEvent({ ...key, expiresMs }, days), context)]
}

async function isWanted(
  type: OptionalEvent,
  { accountId }: Pick<KeyDetails, "accountId">,
  { admin }: Context,
): Promise<boolean> {
  const account = await admin.findAccount(accountId)
  return account?.events.includes(type) ?? false
}

function toInsert(
  type: OptionalEvent,
  { accountId }: Pick<KeyDetails, "accountId">,
  event: { readonly id: string; readonly data: string },
  { clock }: Context,
): Mutation {
  return { kind: "notice.insert", ...event, accountId, type, nowMs: clock.now() }
}
