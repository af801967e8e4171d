import type { AccountRecord, KeyAccess, KeyRecord } from "./store.ts"

/** A key's lists are JSON in its row, in every kind of store. */
type ListColumns = { allowApis: string | null; blockApis: string; allowIps: string | null }
export type KeyRow = Omit<KeyRecord, keyof ListColumns> & ListColumns
/** What a call needs of a secret, its key and its account. */
export type AccessRow = Omit<KeyRow, "id" | "name" | "prefix" | "createdMs"> &
  Omit<AccountRecord, "id" | "name"> &
  Pick<KeyAccess, "secretUntilMs"> &
  Pick<KeyAccess["key"], "disabledMs"> & { readonly keyId: string }

export function toKey<Row extends KeyRow>(row: Row): Omit<Row, keyof ListColumns> & KeyRecord {
  return { ...row, ...toLists(row) }
}

export function toKeyRow<Key extends KeyRecord>(key: Key): Omit<Key, keyof ListColumns> & KeyRow {
  return {
    ...key,
    allowApis: key.allowApis && JSON.stringify(key.allowApis),
    blockApis: JSON.stringify(key.blockApis),
    allowIps: key.allowIps && JSON.stringify(key.allowIps),
  }
}

export function toAccess(row: AccessRow, revision: number): KeyAccess {
  const { keyId, secretUntilMs, expiresMs, revokedMs, disabledMs, rateLimit } = row
  const { accountId, plan, createdMs, closedMs, periodStartMs, used, bonus } = row
  return {
    revision,
    secretUntilMs,
    key: { id: keyId, expiresMs, revokedMs, disabledMs, ...toLists(row), rateLimit },
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
