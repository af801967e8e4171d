import type { AccountRecord, KeyAccess, KeyRecord } from "../store.ts"

/** Selects an {@link AccountRecord}. 64-bit integers are read as float8, which is exact up to 2^53. */
export const selectAccounts = `
  SELECT id, name, plan, created_ms::float8 AS "createdMs", closed_ms::float8 AS "closedMs",
    period_start_ms::float8 AS "periodStartMs", used::float8 AS used, bonus::float8 AS bonus
  FROM accounts JOIN ledger ON ledger.account_id = accounts.id`

const limitColumns = `expires_ms::float8 AS "expiresMs", revoked_ms::float8 AS "revokedMs", allow_apis AS "allowApis",
  block_apis AS "blockApis", allow_ips AS "allowIps", rate_limit AS "rateLimit"`

/** Selects a {@link KeyRow}. */
export const selectKeys = `
  SELECT keys.id, keys.account_id AS "accountId", keys.name, prefix, keys.created_ms::float8 AS "createdMs", ${limitColumns}
  FROM keys`

/** Selects the {@link AccessRow} of the hash $1. */
export const selectAccess = `
  SELECT secrets.until_ms::float8 AS "secretUntilMs", keys.id AS "keyId", ${limitColumns}, accounts.id AS "accountId", plan,
    accounts.created_ms::float8 AS "createdMs", closed_ms::float8 AS "closedMs", period_start_ms::float8 AS "periodStartMs",
    used::float8 AS used, bonus::float8 AS bonus, revision::float8 AS revision
  FROM secrets JOIN keys ON keys.id = secrets.key_id JOIN accounts ON accounts.id = keys.account_id
    JOIN ledger ON ledger.account_id = accounts.id
  WHERE secrets.hash = $1::text`

/** A key's lists are JSON in its row. */
type ListColumns = { allowApis: string | null; blockApis: string; allowIps: string | null }
export type KeyRow = Omit<KeyRecord, keyof ListColumns> & ListColumns
export type AccessRow = Omit<KeyRow, "id" | "name" | "prefix" | "createdMs"> &
  Omit<AccountRecord, "id" | "name"> &
  Pick<KeyAccess, "secretUntilMs" | "revision"> & { readonly keyId: string }

export function toKey(row: KeyRow): KeyRecord {
  return { ...row, ...toLists(row) }
}

export function toAccess(row: AccessRow): KeyAccess {
  const { keyId, secretUntilMs, revision, expiresMs, revokedMs, rateLimit } = row
  const { accountId, plan, createdMs, closedMs, periodStartMs, used, bonus } = row
  return {
    revision,
    secretUntilMs,
    key: { id: keyId, expiresMs, revokedMs, ...toLists(row), rateLimit },
    account: { id: accountId, plan, createdMs, closedMs, periodStartMs, used, bonus },
  }
}

/** A list as a key's row holds it. */
export function toListColumn(list: readonly string[] | null): string | null {
  return list && JSON.stringify(list)
}

function toLists({ allowApis, blockApis, allowIps }: ListColumns) {
  return {
    allowApis: toList(allowApis),
    blockApis: toList(blockApis) ?? emptyList,
    allowIps: toList(allowIps),
  }
}

/** Shared by all keys, since most lists are empty and very many keys are kept in memory. */
const emptyList: readonly string[] = []

function toList(json: string | null): readonly string[] | null {
  if (json === "[]") return emptyList
  return json === null ? null : (JSON.parse(json) as string[])
}
