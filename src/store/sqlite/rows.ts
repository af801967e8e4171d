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

type Prefixed<Row, P extends string> = { [K in keyof Row & string as `${P}${K}`]: Row[K] }
export type AccessRow = { secret_until_ms: number | null } & Prefixed<KeyRow, "key_"> &
  Prefixed<AccountRow, "account_">

/** The tables that an account's record is made of. */
export const accountTables = "accounts JOIN ledger ON ledger.account_id = accounts.id"

/** The select list of an account from {@link accountTables}, its names under a prefix. */
export function accountColumns(prefix = ""): string {
  const fixed = columns("accounts", prefix, "id name plan created_ms")
  return `${fixed}, ${columns("ledger", prefix, "closed_ms period_start_ms used bonus")}`
}

/** The select list of a key, its names under a prefix. */
export function keyColumns(prefix: string): string {
  return columns(
    "keys",
    prefix,
    "id account_id name prefix created_ms expires_ms revoked_ms allow_apis block_apis allow_ips rate_limit",
  )
}

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
    expiresMs: row.expires_ms,
    revokedMs: row.revoked_ms,
    allowApis: toList(row.allow_apis),
    blockApis: toList(row.block_apis) ?? [],
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
    key: toKey({
      id: row.key_id,
      account_id: row.key_account_id,
      name: row.key_name,
      prefix: row.key_prefix,
      created_ms: row.key_created_ms,
      expires_ms: row.key_expires_ms,
      revoked_ms: row.key_revoked_ms,
      allow_apis: row.key_allow_apis,
      block_apis: row.key_block_apis,
      allow_ips: row.key_allow_ips,
      rate_limit: row.key_rate_limit,
    }),
    account: toAccount({
      id: row.account_id,
      name: row.account_name,
      plan: row.account_plan,
      created_ms: row.account_created_ms,
      closed_ms: row.account_closed_ms,
      period_start_ms: row.account_period_start_ms,
      used: row.account_used,
      bonus: row.account_bonus,
    }),
  }
}

function toList(json: string | null): readonly string[] | null {
  return json === null ? null : (JSON.parse(json) as string[])
}

function columns(table: string, prefix: string, names: string): string {
  return names
    .split(" ")
    .map((name) => `${table}.${name} AS ${prefix}${name}`)
    .join(", ")
}
