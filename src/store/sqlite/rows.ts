import type { AccountRecord, KeyAccess, KeyRecord } from "../store.ts"

/** The tables of an account's record. */
export const accountTables = "accounts JOIN ledger ON ledger.account_id = accounts.id"
/** Selects an {@link AccountRecord} from {@link accountTables}. */
export const accountColumns =
  "id, name, plan, created_ms AS createdMs, closed_ms AS closedMs, period_start_ms AS periodStartMs, used, bonus"

const limitColumns =
  "expires_ms AS expiresMs, revoked_ms AS revokedMs, allow_apis AS allowApis, block_apis AS blockApis, " +
  "allow_ips AS allowIps, rate_limit AS rateLimit"

/** Selects a {@link KeyRow} from keys. */
export const keyColumns = `id, account_id AS accountId, name, prefix, created_ms AS createdMs, ${limitColumns}`
/** Selects an {@link AccessRow} from secrets, keys and {@link accountTables}. */
export const accessColumns =
  `secrets.until_ms AS secretUntilMs, keys.id AS keyId, ${limitColumns}, accounts.id AS accountId, plan, ` +
  "accounts.created_ms AS createdMs, closed_ms AS closedMs, period_start_ms AS periodStartMs, used, bonus"

/** A key's lists are JSON in its row. */
type ListColumns = { allowApis: string | null; blockApis: string; allowIps: string | null }
export type KeyRow = Omit<KeyRecord, keyof ListColumns> & ListColumns
export type AccessRow = Omit<KeyRow, "id" | "name" | "prefix" | "createdMs"> &
  Omit<AccountRecord, "id" | "name"> &
  Pick<KeyAccess, "secretUntilMs"> & { readonly keyId: string }

export function toKey(row: KeyRow): KeyRecord {
  return { ...row, ...toLists(row) }
}

export function toKeyRow(key: KeyRecord): KeyRow {
  return {
    ...key,
    allowApis: key.allowApis && JSON.stringify(key.allowApis),
    blockApis: JSON.stringify(key.blockApis),
    allowIps: key.allowIps && JSON.stringify(key.allowIps),
  }
}

export function toAccess(row: AccessRow, revision: number): KeyAccess {
  const { keyId, secretUntilMs, expiresMs, revokedMs, rateLimit } = row
  const { accountId, plan, createdMs, closedMs, periodStartMs, used, bonus } = row
  return {
    revision,
    secretUntilMs,
    key: { id: keyId, expiresMs, revokedMs, ...toLists(row), rateLimit },
    account: { id: accountId, plan, createdMs, closedMs, periodStartMs, used, bonus },
  }
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
