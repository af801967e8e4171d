import type { AccountDetails, AdminKeyRecord, KeyDetails, SessionRecord, SignInLink } from "./admin-store.ts"
import { type KeyRow, toKey } from "./key-rows.ts"

/** Lists are JSON in their rows, in every kind of store. */
export type AccountDetailsRow = Omit<AccountDetails, "events"> & { readonly events: string }
export type KeyDetailsRow = KeyRow & Omit<KeyDetails, keyof KeyRow>
export type AdminKeyRow = Omit<AdminKeyRecord, "permissions"> & { readonly permissions: string }
export type SignInLinkRow = Omit<SignInLink, "permissions"> & { readonly permissions: string }
export type SessionRow = Omit<SessionRecord, "permissions"> & { readonly permissions: string }

export function toAccountDetails(row: AccountDetailsRow): AccountDetails {
  return { ...row, events: toStrings(row.events) }
}

export function toKeyDetails(row: KeyDetailsRow): KeyDetails {
  return toKey(row)
}

export function toAdminKey(row: AdminKeyRow): AdminKeyRecord {
  return { ...row, permissions: toStrings(row.permissions) }
}

export function toSignInLink(row: SignInLinkRow): SignInLink {
  return { ...row, permissions: toStrings(row.permissions) }
}

export function toSession(row: SessionRow): SessionRecord {
  return { ...row, permissions: toStrings(row.permissions) }
}

function toStrings(json: string): readonly string[] {
  return JSON.parse(json) as string[]
}
