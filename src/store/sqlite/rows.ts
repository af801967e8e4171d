import type { AccountRecord, KeyAccess, KeyRecord } from "../store.ts"

export interface AccountRow {
  id: string
  name: string
  plan: string
  created_ms: number
  closed_ms: number | null
  period_start_ms: number
  used: number
  bonus: number
}

export interface KeyRow {
  id: string
  account_id: string
  name: string
  prefix: string
  created_ms: number
  expires_ms: number | null
  revoked_ms: number | null
  allow_apis: string | null
  block_apis: string
  allow_ips: string | null
  rate_limit: number | null
}

/** What is read of a secret, its key and its account: {@link accessColumns}. */
export interface AccessRow
  extends Omit<KeyRow, "id" | "name" | "prefix" | "created_ms">,
    Omit<AccountRow, "id" | "name"> {
  secret_until_ms: number | null
  key_id: string
}

export const accessColumns =
  "secrets.until_ms AS secret_until_ms, keys.id AS key_id, expires_ms, revoked_ms, allow_apis, block_apis, " +
  "allow_ips, rate_limit, accounts.id AS account_id, plan, accounts.created_ms AS created_ms, closed_ms, period_start_ms, used, bonus"

/** The tables that an account's record is made of. */
export const accountTables = "accounts JOIN ledger ON ledger.account_id = accounts.id"

/** The select list of an account from {@link accountTables}. */
export const accountColumns = "id, name, plan, created_ms, closed_ms, period_start_ms, used, bonus"

export function toAccount(row: AccountRow): AccountRecord {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    createdMs: row.created_ms,
    closedMs: row.closed_ms,
    periodStartMs: row.period_start_ms,
    used: row.used,
    bonus: row.bonus,
  }
}

export function toKey(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    prefix: row.prefix,
    createdMs: row.created_ms,
    ...toBounds(row),
  }
}

/** What a key is bound by. */
function toBounds(
  row: Pick<KeyRow, "expires_ms" | "revoked_ms" | "allow_apis" | "block_apis" | "allow_ips" | "rate_limit">,
) {
  return {
    expiresMs: row.expires_ms,
    revokedMs: row.revoked_ms,
    allowApis: toList(row.allow_apis),
    blockApis: toList(row.block_apis) ?? none,
    allowIps: toList(row.allow_ips),
    rateLimit: row.rate_limit,
  }
}

export function keyParameters(key: KeyRecord) {
  return {
    ...key,
    allowApis: key.allowApis && JSON.stringify(key.allowApis),
    blockApis: JSON.stringify(key.blockApis),
    allowIps: key.allowIps && JSON.stringify(key.allowIps),
  }
}

export function toAccess(row: AccessRow, revision: number): KeyAccess {
  return {
    revision,
    caller: null,
    secretUntilMs: row.secret_until_ms,
    key: {
      id: row.key_id,
      ...toBounds(row),
    },
    account: {
      id: row.account_id,
      plan: row.plan,
      createdMs: row.created_ms,
      closedMs: row.closed_ms,
      periodStartMs: row.period_start_ms,
      used: row.used,
      bonus: row.bonus,
    },
  }
}

const none: readonly string[] = []

function toList(json: string | null): readonly string[] | null {
  return json === null ? null : json === "[]" ? none : (JSON.parse(json) as string[])
}
