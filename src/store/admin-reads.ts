import type { AdjustmentRecord } from "./adjustments.ts"
import type { Lists } from "./admin-lists.ts"
import type {
  AdminKeyRecord,
  AdminStore,
  EmailLink,
  ReplayRecord,
  SessionRecord,
  SignInLink,
} from "./admin-store.ts"
import type { NoticeRecord } from "./outbox.ts"
import type { PasskeyChallenge } from "./people.ts"
import * as rows from "./rows.ts"

type Reads = Omit<AdminStore, keyof Lists | "apply" | "usage" | "usageMonthsUntil">

/** The administration's reads of single rows, and its replays, in any kind of store. */
export function prepareAdminReads({ read, write }: Readonly<Record<"read" | "write", rows.Run>>): Reads {
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
  const findSetting = (name: string) =>
    find(
      "SELECT value FROM service_settings WHERE name = $1::text",
      [name],
      ({ value }: { readonly value: string }) => value,
    )

  return {
    findAccount: (id) =>
      find(`${rows.selectAccountDetails} WHERE id = $1::text`, [id], rows.toAccountDetails),
    findAccountByEmail: (email) =>
      find(`${rows.selectAccountDetails} WHERE email = $1::text`, [email], rows.toAccountDetails),
    async planNames() {
      return (await read<{ plan: string }>(selectPlanNames, [])).map(({ plan }) => plan)
    },
    findKey: (id) => find(`${rows.selectKeyDetails} WHERE id = $1::text`, [id], rows.toKeyDetails),
    findKeyByHash(hash) {
      const select = rows.selectKeyDetails.replace(
        "FROM keys",
        `, until_ms::float8 AS "secretUntilMs" FROM secrets JOIN keys ON keys.id = key_id`,
      )
      type SecretRow = rows.KeyDetailsRow & { readonly secretUntilMs: number | null }
      return find(`${select} WHERE hash = $1::text`, [hash], ({ secretUntilMs, ...key }: SecretRow) => {
        return { key: rows.toKeyDetails(key), secretUntilMs }
      })
    },
    async countKeys(accountId) {
      const select = "SELECT count(*)::float8 AS count FROM keys WHERE account_id = $1::text"
      const [row] = await read<{ count: number }>(select, [accountId])
      return row?.count ?? 0
    },
    findSecretHash: (keyId) =>
      find(
        "SELECT hash FROM secrets WHERE key_id = $1::text AND until_ms IS NULL",
        [keyId],
        ({ hash }: { readonly hash: string }) => hash,
      ),
    findNotice: (id) => find(rows.selectNotice, [id], (row: NoticeRecord) => row),

    findAdminKey: (hash) => findAdminKeyBy("hash", hash),
    findAdminKeyById: (id) => findAdminKeyBy("id", id),
    findSignInLink: (hash) =>
      find(
        `${rows.selectSignInLinks} WHERE hash = $1::text`,
        [hash],
        rows.withPermissions<rows.PermittedRow<SignInLink>>,
      ),
    findEmailLink: (hash) =>
      find(
        `${rows.selectEmailLinks} WHERE id = (SELECT link_id FROM email_link_tokens WHERE hash = $1::text)`,
        [hash],
        (row: EmailLink) => row,
      ),
    findInvitation: (id) =>
      find(
        `${rows.selectEmailLinks} WHERE id = $1::text AND kind = 'invitation' AND used_ms IS NULL`,
        [id],
        (row: EmailLink) => row,
      ),
    findSession: (hash) =>
      find(
        `${rows.selectSessions} WHERE hash = $1::text`,
        [hash],
        rows.withPermissions<rows.PermittedRow<SessionRecord>>,
      ),
    async hasAdmin() {
      const [row] = await read<{ found: boolean | number }>(
        `SELECT EXISTS (SELECT 1 FROM admin_keys) OR EXISTS (SELECT 1 FROM sessions WHERE kind = 'console')
           OR EXISTS (SELECT 1 FROM people)
           OR EXISTS (SELECT 1 FROM audit WHERE operation = 'console.link') AS found`,
        [],
      )
      return Boolean(row?.found)
    },

    findAdjustment: (id) =>
      find(`${rows.selectAdjustments} WHERE id = $1::text`, [id], (row: AdjustmentRecord) => row),
    findReferredAdjustment: (accountId, reference) =>
      find(
        `${rows.selectAdjustments} WHERE account_id = $1::text AND reference = $2::text`,
        [accountId, reference],
        (row: AdjustmentRecord) => row,
      ),
    planTerms: () =>
      read(
        `SELECT plan, from_ms::float8 AS "fromMs", price, monthly_credits::float8 AS "monthlyCredits"
         FROM plan_terms ORDER BY from_ms, plan`,
        [],
      ),
    async addPlanTerms({ plan, fromMs, price, monthlyCredits }) {
      await write(
        `INSERT INTO plan_terms (plan, from_ms, price, monthly_credits)
         VALUES ($1::text, $2::bigint, $3::text, $4::bigint) ON CONFLICT DO NOTHING`,
        [plan, fromMs, price, monthlyCredits],
      )
    },
    findPerson: (id) => find(`${rows.selectPeople} WHERE id = $1::text`, [id], rows.toPerson),
    findPasskey: (id) => find(`${rows.selectPasskeys} WHERE id = $1::text`, [id], rows.toPasskey),
    findPasskeyByCredential: (credentialId) =>
      find(`${rows.selectPasskeys} WHERE credential_id = $1::text`, [credentialId], rows.toPasskey),
    async passkeysOf(personId) {
      const select = `${rows.selectPasskeys} WHERE person_id = $1::text ORDER BY created_ms, id`
      return (await read<rows.PasskeyRow>(select, [personId])).map(rows.toPasskey)
    },
    async keepChallenge({ hash, browser, expiresMs }, nowMs) {
      const remove = `DELETE FROM passkey_challenges WHERE hash IN (
        SELECT hash FROM passkey_challenges WHERE expires_ms <= $1::bigint ORDER BY expires_ms LIMIT ${challengesDeleted})`
      await write(remove, [nowMs])
      const insert =
        "INSERT INTO passkey_challenges (hash, browser, expires_ms) VALUES ($1::text, $2::text, $3::bigint)"
      await write(insert, [hash, browser, expiresMs])
    },
    findChallenge: (hash) =>
      find(`${rows.selectChallenges} WHERE hash = $1::text`, [hash], (row: PasskeyChallenge) => row),

    findSetting,
    async keepSetting(name, value) {
      await write(
        `INSERT INTO service_settings (name, value) VALUES ($1::text, $2::text)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [name, value],
      )
    },
    async keepFirstSetting(name, value) {
      await write(
        `INSERT INTO service_settings (name, value) VALUES ($1::text, $2::text) ON CONFLICT (name) DO NOTHING`,
        [name, value],
      )
      return (await findSetting(name)) ?? value
    },

    findReplay: (actor, key) =>
      find(
        `SELECT actor, key, payload_hash AS "payloadHash", operation, target_id AS "targetId",
           created_ms::float8 AS "createdMs", answer
         FROM replays WHERE actor = $1::text AND key = $2::text`,
        [actor, key],
        (row: ReplayRecord) => row,
      ),
    async keepAnswer(actor, key, answer) {
      const update = "UPDATE replays SET answer = $3::text WHERE actor = $1::text AND key = $2::text"
      await write(update, [actor, key, answer])
    },
    async deleteReplaysBefore(ms, limit) {
      const remove = `DELETE FROM replays WHERE (actor, key) IN (
        SELECT actor, key FROM replays WHERE created_ms < $1::bigint ORDER BY created_ms LIMIT $2::bigint) RETURNING 1`
      return (await write(remove, [ms, limit])).length
    },
    async forgetReplay({ actor, key, createdMs }) {
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
