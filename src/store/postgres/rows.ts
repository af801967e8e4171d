/** Selects an {@link AccountRecord}. 64-bit integers are read as float8, which is exact up to 2^53. */
export const selectAccounts = `
  SELECT id, name, plan, created_ms::float8 AS "createdMs", closed_ms::float8 AS "closedMs",
    period_start_ms::float8 AS "periodStartMs", used::float8 AS used, bonus::float8 AS bonus
  FROM accounts JOIN ledger ON ledger.account_id = accounts.id`

const adminColumns = `version::float8 AS version, external_id AS "externalId", metadata`
/** Selects an {@link AccountDetailsRow}. */
export const selectAccountDetails = selectAccounts.replace(
  "FROM accounts",
  `, ${adminColumns}, events FROM accounts`,
)

const limitColumns = `expires_ms::float8 AS "expiresMs", revoked_ms::float8 AS "revokedMs", allow_apis AS "allowApis",
  block_apis AS "blockApis", allow_ips AS "allowIps", rate_limit AS "rateLimit"`

/** Selects a {@link KeyDetailsRow}. */
export const selectKeyDetails = `
  SELECT keys.id, keys.account_id AS "accountId", keys.name, prefix, keys.created_ms::float8 AS "createdMs", ${limitColumns},
    disabled_ms::float8 AS "disabledMs", ${adminColumns}
  FROM keys`

/** Selects an {@link AdminKeyRow}. */
export const selectAdminKeys = `
  SELECT id, name, prefix, permissions, created_ms::float8 AS "createdMs", expires_ms::float8 AS "expiresMs",
    revoked_ms::float8 AS "revokedMs"
  FROM admin_keys`

const linkColumns = `id, kind, owner, name, permissions, admin_key_id AS "adminKeyId", account_id AS "accountId",
    created_ms::float8 AS "createdMs", expires_ms::float8 AS "expiresMs"`
/** Selects a {@link SignInLinkRow}. */
export const selectSignInLinks = `SELECT ${linkColumns} FROM sign_in_links`
/** Selects a {@link SessionRow}. */
export const selectSessions = `SELECT ${linkColumns}, key_hash AS "keyHash" FROM sessions`

/** Selects an {@link AuditRecord}. */
export const selectAudit = `
  SELECT id, at_ms::float8 AS "atMs", actor, actor_name AS "actorName", operation, target_kind AS "targetKind",
    target_id AS "targetId", account_id AS "accountId", before_json AS before, after_json AS after, source,
    request_id AS "requestId"
  FROM audit`

/** Selects the {@link AccessRow} of the hash $1. */
export const selectAccess = `
  SELECT secrets.until_ms::float8 AS "secretUntilMs", keys.id AS "keyId", ${limitColumns}, disabled_ms::float8 AS "disabledMs", accounts.id AS "accountId", plan,
    accounts.created_ms::float8 AS "createdMs", closed_ms::float8 AS "closedMs", period_start_ms::float8 AS "periodStartMs",
    used::float8 AS used, bonus::float8 AS bonus, revision::float8 AS revision
  FROM secrets JOIN keys ON keys.id = secrets.key_id JOIN accounts ON accounts.id = keys.account_id
    JOIN ledger ON ledger.account_id = accounts.id
  WHERE secrets.hash = $1::text`
