import { InputRejected } from "../apis/contract.ts"
import type { AccountDetails, AdminKeyRecord, KeyDetails, Page } from "./admin-store.ts"
import { type KeyRow, toKey } from "./key-rows.ts"

/** Lists are JSON in their rows, in every kind of store. */
export type AccountDetailsRow = Omit<AccountDetails, "events"> & { readonly events: string }
export type KeyDetailsRow = KeyRow & Omit<KeyDetails, keyof KeyRow>
export type AdminKeyRow = Omit<AdminKeyRecord, "permissions"> & { readonly permissions: string }

/** What a new account has besides its record, unless it is said. */
export const newAccountDetails = { version: 1, externalId: null, metadata: "{}", events: [] } as const
/** What a new key has besides its record, unless it is said. */
export const newKeyDetails = { version: 1, disabledMs: null, externalId: null, metadata: "{}" } as const

export function toAccountDetails(row: AccountDetailsRow): AccountDetails {
  return { ...row, events: toStrings(row.events) }
}

export function toKeyDetails(row: KeyDetailsRow): KeyDetails {
  return toKey(row)
}

export function toAdminKey(row: AdminKeyRow): AdminKeyRecord {
  return { ...row, permissions: toStrings(row.permissions) }
}

/** What a list is sorted by: columns that no two rows share, and what they hold. */
export interface Order {
  readonly columns: readonly (readonly [column: string, type: "number" | "string"])[]
  readonly isDescending: boolean
}

export const byCreation: Order = {
  columns: [
    ["created_ms", "number"],
    ["id", "string"],
  ],
  isDescending: false,
}
export const newestAttemptFirst: Order = {
  columns: [
    ["at_ms", "number"],
    ["notice_id", "string"],
    ["attempt", "number"],
  ],
  isDescending: true,
}
export const newestNoticeFirst: Order = {
  columns: [
    ["raised_ms", "number"],
    ["notices.id", "string"],
  ],
  isDescending: true,
}
export const newestRecordFirst: Order = {
  columns: [
    ["at_ms", "number"],
    ["id", "string"],
  ],
  isDescending: true,
}

/**
 * The values of an order's columns that a page begins after; null at the beginning.
 * @throws InputRejected when the place is not one of this list
 */
export function placeOf({ after }: Page, { columns }: Order): readonly (string | number)[] | null {
  if (after === null) return null
  const fits = after.length === columns.length && columns.every(([, type], n) => typeof after[n] === type)
  if (fits) return after
  throw new InputRejected("after", "must be the 'next' of a page of this list")
}

/** `created_ms, id` or `at_ms DESC, id DESC`. */
export function orderBy({ columns, isDescending }: Order): string {
  return columns.map(([column]) => (isDescending ? `${column} DESC` : column)).join(", ")
}

function toStrings(json: string): readonly string[] {
  return JSON.parse(json) as string[]
}
