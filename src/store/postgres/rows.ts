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
  SELECT secrets.until_ms::float8 AS "secretUntilMs", keys.id AS "keyId", ${limitColumns}, NULL AS "disabledMs", accounts.id AS "accountId", plan,
    accounts.created_ms::float8 AS "createdMs", closed_ms::float8 AS "closedMs", period_start_ms::float8 AS "periodStartMs",
    used::float8 AS used, bonus::float8 AS bonus, revision::float8 AS revision
  FROM secrets JOIN keys ON keys.id = secrets.key_id JOIN accounts ON accounts.id = keys.account_id
    JOIN ledger ON ledger.account_id = accounts.id
  WHERE secrets.hash = $1::text`
