/** The tables of an account's record. */
export const accountTables = "accounts JOIN ledger ON ledger.account_id = accounts.id"
/** Selects an {@link AccountRecord} from {@link accountTables}. */
export const accountColumns =
  "id, name, plan, created_ms AS createdMs, closed_ms AS closedMs, period_start_ms AS periodStartMs, used, bonus"

const limitColumns =
  "expires_ms AS expiresMs, revoked_ms AS revokedMs, allow_apis AS allowApis, block_apis AS blockApis, " +
  "allow_ips AS allowIps, rate_limit AS rateLimit"

const adminColumns = "version, external_id AS externalId, metadata"
/** Selects an {@link AccountDetailsRow} from {@link accountTables}. */
export const accountDetailsColumns = `${accountColumns}, ${adminColumns}, events`

/** Selects a {@link KeyDetailsRow} from keys. */
export const keyDetailsColumns = `id, account_id AS accountId, name, prefix, created_ms AS createdMs, ${limitColumns},
  disabled_ms AS disabledMs, ${adminColumns}`
/** Selects an {@link AccessRow} from secrets, keys and {@link accountTables}. */
export const accessColumns =
  `secrets.until_ms AS secretUntilMs, keys.id AS keyId, ${limitColumns}, disabled_ms AS disabledMs, accounts.id AS accountId, plan, ` +
  "accounts.created_ms AS createdMs, closed_ms AS closedMs, period_start_ms AS periodStartMs, used, bonus"

/** Selects an {@link AdminKeyRow} from admin_keys. */
export const adminKeyColumns =
  "id, name, prefix, permissions, created_ms AS createdMs, expires_ms AS expiresMs, revoked_ms AS revokedMs"
/** Selects a {@link SignInLinkRow} from sign_in_links. */
export const signInLinkColumns = `id, kind, owner, name, permissions, admin_key_id AS adminKeyId, account_id AS accountId,
  created_ms AS createdMs, expires_ms AS expiresMs`
/** Selects a {@link SessionRow} from sessions. */
export const sessionColumns = `${signInLinkColumns}, key_hash AS keyHash`
/** Selects an {@link AuditRecord} from audit. */
export const auditColumns = `id, at_ms AS atMs, actor, actor_name AS actorName, operation, target_kind AS targetKind,
  target_id AS targetId, account_id AS accountId, before_json AS before, after_json AS after, source, request_id AS requestId`
