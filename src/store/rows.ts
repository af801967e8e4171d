import type { AccountDetails, KeyDetails } from "./admin-store.ts"
import type { PasskeyRecord, PersonRecord } from "./people.ts"
import type { AccountRecord, KeyAccess, KeyRecord } from "./store.ts"

/** A value of a parameter. */
export type Parameter = string | number | boolean | null

/**
 * Runs a statement that is written once for all kinds of stores, in PostgreSQL's words: parameters are `$1`, and 64-bit integers
 * are read as float8, which is exact up to 2^53. SQLite gets it without the casts.
 */
export type Run = <Row>(statement: string, parameters: readonly Parameter[]) => Promise<readonly Row[]>

/** How a kind of store takes a list of texts in one parameter. */
export interface TextList {
  readonly toParameter: (texts: readonly string[]) => string
  /** The end of a condition that a column's value is in the list. */
  readonly isIn: (parameter: string) => string
}

/** Selects an {@link AccountRecord}. */
export const selectAccounts = `
  SELECT id, name, plan, created_ms::float8 AS "createdMs", closed_ms::float8 AS "closedMs",
    period_start_ms::float8 AS "periodStartMs", used::float8 AS used, bonus::float8 AS bonus
  FROM accounts JOIN ledger ON ledger.account_id = accounts.id`

/** Selects a {@link FirstCharge}. */
export const selectFirstCharge = `
  SELECT input_hash AS "inputHash", credits::float8 AS credits, created_ms::float8 AS "createdMs" FROM call_replays
  WHERE account_id = $1::text AND key_hash = $2::text AND created_ms > $3::bigint`

const adminColumns = `version::float8 AS version, external_id AS "externalId", metadata`
/** Selects an {@link AccountDetailsRow}. */
export const selectAccountDetails = selectAccounts.replace(
  "FROM accounts",
  `, ${adminColumns}, events, email, notify, day AS "lastDay", debt::float8 AS debt FROM accounts`,
)

const limitColumns = `expires_ms::float8 AS "expiresMs", revoked_ms::float8 AS "revokedMs", allow_apis AS "allowApis",
  block_apis AS "blockApis", allow_ips AS "allowIps", rate_limit AS "rateLimit"`

/** Selects a {@link KeyDetailsRow}. */
export const selectKeyDetails = `
  SELECT keys.id, keys.account_id AS "accountId", keys.name, prefix, keys.created_ms::float8 AS "createdMs", ${limitColumns},
    disabled_ms::float8 AS "disabledMs", ${adminColumns}
  FROM keys`

/** Selects the {@link PermittedRow} of an admin key. */
export const selectAdminKeys = `
  SELECT id, name, prefix, permissions, created_ms::float8 AS "createdMs", expires_ms::float8 AS "expiresMs",
    revoked_ms::float8 AS "revokedMs"
  FROM admin_keys`

const linkColumns = `id, kind, owner, name, permissions, admin_key_id AS "adminKeyId", account_id AS "accountId",
    created_ms::float8 AS "createdMs", expires_ms::float8 AS "expiresMs"`
/** Selects the {@link PermittedRow} of a link that signs in. */
export const selectSignInLinks = `SELECT ${linkColumns} FROM sign_in_links`
/** Selects an {@link EmailLink}. */
export const selectEmailLinks = `
  SELECT id, kind, email, name, plan, terms, account_id AS "accountId", browser, network, created_ms::float8 AS "createdMs",
    expires_ms::float8 AS "expiresMs", used_ms::float8 AS "usedMs"
  FROM email_links`
/** Selects the {@link PermittedRow} of a session. */
export const selectSessions = `SELECT ${linkColumns}, key_hash AS "keyHash", passkey_id AS "passkeyId" FROM sessions`

/** Selects a {@link PersonRow}. */
export const selectPeople = `
  SELECT id, name, permissions, held, created_ms::float8 AS "createdMs", removed_ms::float8 AS "removedMs" FROM people`

/** Selects a {@link PasskeyRow}. */
export const selectPasskeys = `
  SELECT id, credential_id AS "credentialId", person_id AS "personId", name, public_key AS "publicKey", counter::float8 AS counter,
    transports, site, permissions, created_ms::float8 AS "createdMs", used_ms::float8 AS "usedMs"
  FROM passkeys`

/** Selects a {@link PasskeyChallenge}. */
export const selectChallenges = `SELECT hash, browser, expires_ms::float8 AS "expiresMs" FROM passkey_challenges`

/** Selects an {@link AdjustmentRecord}. */
export const selectAdjustments = `
  SELECT id, account_id AS "accountId", at_ms::float8 AS "atMs", kind, credits::float8 AS credits, reason, reference, undoes,
    (SELECT later.id FROM adjustments AS later WHERE later.undoes = adjustments.id) AS "undoneBy", made_by AS "madeBy"
  FROM adjustments`

/** Selects an {@link AuditRecord}. */
export const selectAudit = `
  SELECT id, at_ms::float8 AS "atMs", actor, actor_name AS "actorName", operation, target_kind AS "targetKind",
    target_id AS "targetId", account_id AS "accountId", before_json AS before, after_json AS after, source,
    request_id AS "requestId"
  FROM audit`

/** The columns of a {@link NoticeRecord}, of notices joined with accounts. */
export const noticeColumns = `notices.id, account_id AS "accountId", type, data, accounts.created_ms::float8 AS "accountCreatedMs", notices.plan,
  threshold, used::float8 AS used, allowance::float8 AS allowance, period_start_ms::float8 AS "periodStartMs",
  raised_ms::float8 AS "raisedMs", state, attempts, waited_ms::float8 AS "waitedMs", next_attempt_ms::float8 AS "nextAttemptMs",
  last_status AS "lastStatus", last_error AS "lastError", delivered_ms::float8 AS "deliveredMs"`

/** Selects {@link NoticeRecord}s. A LEFT JOIN lets SQLite read notices first, in the order of a list by their index. */
export const selectNotices = `SELECT ${noticeColumns} FROM notices LEFT JOIN accounts ON accounts.id = account_id`
/** Selects the {@link NoticeRecord} with the id $1. */
export const selectNotice = `${selectNotices} WHERE notices.id = $1::text`

/** Selects an {@link AttemptRecord} from notice_attempts, which may be joined with notices. */
export const attemptColumns = `notice_id AS "noticeId", attempt, at_ms::float8 AS "atMs", duration_ms::float8 AS "durationMs",
  notice_attempts.status, error`

/** Selects the {@link AccessRow} of the hash $1. */
export const selectAccess = `
  SELECT secrets.until_ms::float8 AS "secretUntilMs", keys.id AS "keyId", ${limitColumns}, disabled_ms::float8 AS "disabledMs",
    accounts.id AS "accountId", plan,
    accounts.created_ms::float8 AS "createdMs", closed_ms::float8 AS "closedMs", period_start_ms::float8 AS "periodStartMs",
    used::float8 AS used, bonus::float8 AS bonus
  FROM secrets JOIN keys ON keys.id = secrets.key_id JOIN accounts ON accounts.id = keys.account_id
    JOIN ledger ON ledger.account_id = accounts.id
  WHERE secrets.hash = $1::text`

/** A key's lists are JSON in its row, in every kind of store. */
type ListColumns = { allowApis: string | null; blockApis: string; allowIps: string | null }
type KeyRow = Omit<KeyRecord, keyof ListColumns> & ListColumns
/** The columns of a secret, its key and its account that a call needs. */
export type AccessRow = Omit<KeyRow, "id" | "name" | "prefix" | "createdMs"> &
  Omit<AccountRecord, "id" | "name"> &
  Pick<KeyAccess, "secretUntilMs"> &
  Pick<KeyAccess["key"], "disabledMs"> & { readonly keyId: string }

/** The record of a row for calls, with the revision at which it was read. */
export function toAccess(row: AccessRow, revision: number): KeyAccess {
  const { keyId, secretUntilMs, expiresMs, revokedMs, disabledMs, rateLimit } = row
  const { accountId, plan, createdMs, closedMs, periodStartMs, used, bonus } = row
  return {
    revision,
    secretUntilMs,
    key: { id: keyId, expiresMs, revokedMs, disabledMs, ...toLists(row), rateLimit },
    account: { id: accountId, plan: oneText(plan), createdMs, closedMs, periodStartMs, used, bonus },
  }
}

const texts = new Map<string, string>()
const maxTexts = 1_000

/**
 * Returns the same string for equal texts. For what the rows of many accounts have in common, such as plan and day: a string of
 * its own in each of them is memory that each call waits for, and that each garbage collection visits.
 */
export function oneText(text: string): string {
  if (texts.size === maxTexts) texts.clear()
  return texts.getOrInsert(text, text)
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

/** The row of a record whose permissions are JSON. */
export type PermittedRow<Found> = Omit<Found, "permissions"> & { readonly permissions: string }
/** The row of an {@link AccountDetails}, whose events are JSON. */
export type AccountDetailsRow = Omit<AccountDetails, "events"> & { readonly events: string }
/** The row of a {@link KeyDetails}, whose lists are JSON. */
export type KeyDetailsRow = KeyRow & Omit<KeyDetails, keyof KeyRow>

/** Reads the events of a row. */
export function toAccountDetails(row: AccountDetailsRow): AccountDetails {
  return { ...row, events: JSON.parse(row.events) as string[] }
}

/** Reads the lists of a row. */
export function toKeyDetails(row: KeyDetailsRow): KeyDetails {
  return { ...row, ...toLists(row) }
}

/** The row of a {@link PersonRecord}, whose lists are JSON. */
export type PersonRow = PermittedRow<Omit<PersonRecord, "held">> & { readonly held: string }

/** Reads the lists of a row. */
export function toPerson(row: PersonRow): PersonRecord {
  return { ...withPermissions(row), held: JSON.parse(row.held) as string[] }
}

/** The row of a {@link PasskeyRecord}, whose lists are JSON. */
export type PasskeyRow = PermittedRow<Omit<PasskeyRecord, "transports">> & { readonly transports: string }

/** Reads the lists of a row. */
export function toPasskey(row: PasskeyRow): PasskeyRecord {
  return { ...withPermissions(row), transports: JSON.parse(row.transports) as string[] }
}

/** Reads the permissions of a row. */
export function withPermissions<Row extends { readonly permissions: string }>(
  row: Row,
): Omit<Row, "permissions"> & { readonly permissions: readonly string[] } {
  return { ...row, permissions: JSON.parse(row.permissions) as string[] }
}
