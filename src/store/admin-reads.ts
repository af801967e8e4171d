import type { AdjustmentRecord, PlanTerms } from "./adjustments.ts"
import type { Lists } from "./admin-lists.ts"
import type {
  AdminChange,
  AdminKeyRecord,
  AdminOutcome,
  EmailLink,
  Page,
  ReplayRecord,
  SessionRecord,
  SignInLink,
} from "./admin-store.ts"
import type { NoticeRecord } from "./outbox.ts"
import type { PasskeyChallenge } from "./people.ts"
import * as rows from "./rows.ts"
import type { UsagePage, UsageQuery } from "./usage-types.ts"

/**
 * The reads and changes of the administration, in the same database as the store. Every method may reject with StoreUnavailable.
 */
export interface AdminStore extends Lists, ReturnType<typeof prepareAdminReads> {
  /** Applies a change in one transaction: all its mutations, its audit records and its replay record, or nothing of them. */
  apply(change: AdminChange): Promise<AdminOutcome>
  /**
   * From this day on usage is kept by day, before it by month: `YYYY-MM-DD`, the first of a month. Null if all is by day.
   */
  usageMonthsUntil(): Promise<string | null>
  /**
   * Sums of usage, by account, key, newest day first, and API. The day of usage that is kept by month is `YYYY-MM`. A query may
   * only ask for all days of such a month. With named accounts, a page has as many sums as its limit allows; their usage is read
   * at once.
   */
  usage(query: UsageQuery, page: Page): Promise<UsagePage>
}

/** The administration's reads of single rows, and its replays, in any kind of store. */
export function prepareAdminReads({ read, write }: Readonly<Record<"read" | "write", rows.Run>>) {
  async function find<Row, Found>(
    statement: string,
    parameters: readonly string[],
    toRecord: (row: Row) => Found,
  ): Promise<Found | null> {
    const [row] = await read<Row>(statement, parameters)
    return row === undefined ? null : toRecord(row)
  }
  const findAdminKeyBy = (column: "hash" | "id", value: string): Promise<AdminKeyRecord | null> =>
    find(
      `${rows.selectAdminKeys} WHERE ${column} = $1::text`,
      [value],
      rows.withPermissions<rows.PermittedRow<AdminKeyRecord>>,
    )
  const findSetting = (name: string): Promise<string | null> =>
    find(
      "SELECT value FROM service_settings WHERE name = $1::text",
      [name],
      ({ value }: { readonly value: string }) => value,
    )

  return {
    findAccount: (id: string) =>
      find(`${rows.selectAccountDetails} WHERE id = $1::text`, [id], rows.toAccountDetails),
    /** The account with a normalised e-mail address, open or closed. */
    findAccountByEmail: (email: string) =>
      find(`${rows.selectAccountDetails} WHERE email = $1::text`, [email], rows.toAccountDetails),
    /** Each plan that an account has, closed ones included. */
    async planNames(): Promise<readonly string[]> {
      return (await read<{ plan: string }>(selectPlanNames, [])).map(({ plan }) => plan)
    },
    findKey: (id: string) => find(`${rows.selectKeyDetails} WHERE id = $1::text`, [id], rows.toKeyDetails),
    /** The key of a current or earlier secret, by the secret's hash. `secretUntilMs` is null for the current secret. */
    findKeyByHash(hash: string) {
      const select = rows.selectKeyDetails.replace(
        "FROM keys",
        `, until_ms::float8 AS "secretUntilMs" FROM secrets JOIN keys ON keys.id = key_id`,
      )
      type SecretRow = rows.KeyDetailsRow & { readonly secretUntilMs: number | null }
      return find(`${select} WHERE hash = $1::text`, [hash], ({ secretUntilMs, ...key }: SecretRow) => {
        return { key: rows.toKeyDetails(key), secretUntilMs }
      })
    },
    /** How many keys an account has, revoked ones included. */
    async countKeys(accountId: string) {
      const select = "SELECT count(*)::float8 AS count FROM keys WHERE account_id = $1::text"
      const [row] = await read<{ count: number }>(select, [accountId])
      return row?.count ?? 0
    },
    /** The hash of a key's current secret; null for an unknown key. */
    findSecretHash: (keyId: string) =>
      find(
        "SELECT hash FROM secrets WHERE key_id = $1::text AND until_ms IS NULL",
        [keyId],
        ({ hash }: { readonly hash: string }) => hash,
      ),
    findNotice: (id: string) => find(rows.selectNotice, [id], (row: NoticeRecord) => row),

    findAdminKey: (hash: string) => findAdminKeyBy("hash", hash),
    findAdminKeyById: (id: string) => findAdminKeyBy("id", id),
    /** The link of a token's hash, until it is used or expires. */
    findSignInLink: (hash: string): Promise<SignInLink | null> =>
      find(
        `${rows.selectSignInLinks} WHERE hash = $1::text`,
        [hash],
        rows.withPermissions<rows.PermittedRow<SignInLink>>,
      ),
    /** The link of a token's hash that was sent by e-mail, used or not, until some time after it expires. */
    findEmailLink: (hash: string) =>
      find(
        `${rows.selectEmailLinks} WHERE id = (SELECT link_id FROM email_link_tokens WHERE hash = $1::text)`,
        [hash],
        (row: EmailLink) => row,
      ),
    /** An invitation by its id, unless it was used. */
    findInvitation: (id: string) =>
      find(
        `${rows.selectEmailLinks} WHERE id = $1::text AND kind = 'invitation' AND used_ms IS NULL`,
        [id],
        (row: EmailLink) => row,
      ),
    /** The session of a cookie's hash, until it ends or expires. */
    findSession: (hash: string): Promise<SessionRecord | null> =>
      find(
        `${rows.selectSessions} WHERE hash = $1::text`,
        [hash],
        rows.withPermissions<rows.PermittedRow<SessionRecord>>,
      ),
    /** Whether there is an admin key or a session of the console, or a link to the console was made. */
    async hasAdmin() {
      const [row] = await read<{ found: boolean | number }>(
        `SELECT EXISTS (SELECT 1 FROM admin_keys) OR EXISTS (SELECT 1 FROM sessions WHERE kind = 'console')
           OR EXISTS (SELECT 1 FROM people)
           OR EXISTS (SELECT 1 FROM audit WHERE operation = 'console.link') AS found`,
        [],
      )
      return Boolean(row?.found)
    },

    findAdjustment: (id: string) =>
      find(`${rows.selectAdjustments} WHERE id = $1::text`, [id], (row: AdjustmentRecord) => row),
    /** The adjustment of an account with the operator's own reference. */
    findReferredAdjustment: (accountId: string, reference: string) =>
      find(
        `${rows.selectAdjustments} WHERE account_id = $1::text AND reference = $2::text`,
        [accountId, reference],
        (row: AdjustmentRecord) => row,
      ),
    /** The terms of all plans, oldest first. A row is added when they change. */
    planTerms: () =>
      read<PlanTerms>(
        `SELECT plan, from_ms::float8 AS "fromMs", price, monthly_credits::float8 AS "monthlyCredits"
         FROM plan_terms ORDER BY from_ms, plan`,
        [],
      ),
    /** Adds terms, unless some of the same plan and time are there. */
    async addPlanTerms({ plan, fromMs, price, monthlyCredits }: PlanTerms) {
      await write(
        `INSERT INTO plan_terms (plan, from_ms, price, monthly_credits)
         VALUES ($1::text, $2::bigint, $3::text, $4::bigint) ON CONFLICT DO NOTHING`,
        [plan, fromMs, price, monthlyCredits],
      )
    },
    findPerson: (id: string) => find(`${rows.selectPeople} WHERE id = $1::text`, [id], rows.toPerson),
    findPasskey: (id: string) => find(`${rows.selectPasskeys} WHERE id = $1::text`, [id], rows.toPasskey),
    findPasskeyByCredential: (credentialId: string) =>
      find(`${rows.selectPasskeys} WHERE credential_id = $1::text`, [credentialId], rows.toPasskey),
    /** The passkeys of a person, oldest first. */
    async passkeysOf(personId: string) {
      const select = `${rows.selectPasskeys} WHERE person_id = $1::text ORDER BY created_ms, id`
      return (await read<rows.PasskeyRow>(select, [personId])).map(rows.toPasskey)
    },
    /** Keeps a challenge for passkeys, and deletes expired ones. */
    async keepChallenge({ hash, browser, expiresMs }: PasskeyChallenge, nowMs: number) {
      const remove = `DELETE FROM passkey_challenges WHERE hash IN (
        SELECT hash FROM passkey_challenges WHERE expires_ms <= $1::bigint ORDER BY expires_ms LIMIT ${challengesDeleted})`
      await write(remove, [nowMs])
      const insert =
        "INSERT INTO passkey_challenges (hash, browser, expires_ms) VALUES ($1::text, $2::text, $3::bigint)"
      await write(insert, [hash, browser, expiresMs])
    },
    /** The challenge with a hash, until it is used or deleted. */
    findChallenge: (hash: string) =>
      find(`${rows.selectChallenges} WHERE hash = $1::text`, [hash], (row: PasskeyChallenge) => row),

    /** A setting of the service, as JSON; null if no service has kept it. */
    findSetting,
    async keepSetting(name: string, value: string) {
      await write(
        `INSERT INTO service_settings (name, value) VALUES ($1::text, $2::text)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [name, value],
      )
    },
    /** Keeps a setting that no service has kept yet, and returns the one that is kept: of two processes both get the same. */
    async keepFirstSetting(name: string, value: string) {
      await write(
        `INSERT INTO service_settings (name, value) VALUES ($1::text, $2::text) ON CONFLICT (name) DO NOTHING`,
        [name, value],
      )
      return (await findSetting(name)) ?? value
    },

    findReplay: (actor: string, key: string) =>
      find(
        `SELECT actor, key, payload_hash AS "payloadHash", operation, target_id AS "targetId",
           created_ms::float8 AS "createdMs", answer
         FROM replays WHERE actor = $1::text AND key = $2::text`,
        [actor, key],
        (row: ReplayRecord) => row,
      ),
    /** Keeps the answer of a change for replays. */
    async keepAnswer(actor: string, key: string, answer: string) {
      const update = "UPDATE replays SET answer = $3::text WHERE actor = $1::text AND key = $2::text"
      await write(update, [actor, key, answer])
    },
    /** Deletes at most `limit` replays that were made before a time, the oldest first, and returns how many there were. */
    async deleteReplaysBefore(ms: number, limit: number) {
      const remove = `DELETE FROM replays WHERE (actor, key) IN (
        SELECT actor, key FROM replays WHERE created_ms < $1::bigint ORDER BY created_ms LIMIT $2::bigint) RETURNING 1`
      return (await write(remove, [ms, limit])).length
    },
    /** Deletes one replay, unless there is a newer one with its key. */
    async forgetReplay({ actor, key, createdMs }: Pick<ReplayRecord, "actor" | "key" | "createdMs">) {
      const remove =
        "DELETE FROM replays WHERE actor = $1::text AND key = $2::text AND created_ms = $3::bigint"
      await write(remove, [actor, key, createdMs])
    },
  }
}

/** Expired challenges that are deleted with a new one. */
const challengesDeleted = 200

/** Selects each plan that an account has, by jumps in the index of plans. */
const selectPlanNames = `
  WITH RECURSIVE named (plan) AS (
    SELECT min(plan) FROM accounts
    UNION ALL SELECT (SELECT min(plan) FROM accounts WHERE accounts.plan > named.plan) FROM named WHERE named.plan IS NOT NULL)
  SELECT plan FROM named WHERE plan IS NOT NULL`
