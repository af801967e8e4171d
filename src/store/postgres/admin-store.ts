import { prepareLists } from "../admin-lists.ts"
import {
  type AccountDetailsRow,
  type AdminKeyRow,
  type KeyDetailsRow,
  type SessionRow,
  type SignInLinkRow,
  toAccountDetails,
  toAdminKey,
  toKeyDetails,
  toSession,
  toSignInLink,
} from "../admin-rows.ts"
import type { AdminKeyRecord, AdminStore, ReplayRecord } from "../admin-store.ts"
import { type ListQuery, selectPlanNames, toListSql } from "../list-query.ts"
import type { AccessCache } from "./access-cache.ts"
import { applyChange } from "./apply-change.ts"
import { toArray } from "./arrays.ts"
import type { Connection } from "./connection.ts"
import { attemptColumns, findNotice, selectNotices } from "./outbox.ts"
import {
  selectAccountDetails,
  selectAdminKeys,
  selectAudit,
  selectKeyDetails,
  selectSessions,
  selectSignInLinks,
} from "./rows.ts"
import { prepareUsage } from "./usage.ts"

const selects = {
  keys: selectKeyDetails,
  notices: selectNotices,
  noticeAttempts: `SELECT ${attemptColumns} FROM notice_attempts`,
  accountAttempts: `SELECT ${attemptColumns} FROM notices JOIN notice_attempts ON notice_id = notices.id`,
  adminKeys: selectAdminKeys,
  audit: selectAudit,
}

/** The administration's part of the store on a PostgreSQL database. */
export function prepareAdminStore(connection: Connection, access: Pick<AccessCache, "clear">): AdminStore {
  const { run } = connection

  async function list<Row>(query: ListQuery): Promise<readonly Row[]> {
    const { sql, values } = toListSql(query, (number, value) =>
      typeof value === "number" ? `$${number}::bigint` : `$${number}::text`,
    )
    return run<Row>(sql, values)
  }
  async function findAdminKeyBy(column: "hash" | "id", value: string): Promise<AdminKeyRecord | null> {
    const [row] = await run<AdminKeyRow>(`${selectAdminKeys} WHERE ${column} = $1::text`, [value])
    return row ? toAdminKey(row) : null
  }

  return {
    async apply(change) {
      const outcome = await applyChange(connection, change)
      access.clear()
      return outcome
    },

    async findAccount(id) {
      const [row] = await run<AccountDetailsRow>(`${selectAccountDetails} WHERE id = $1::text`, [id])
      return row ? toAccountDetails(row) : null
    },
    async planNames() {
      const rows = await run<{ plan: string }>(selectPlanNames, [])
      return rows.map(({ plan }) => plan)
    },
    plansInUse: () =>
      run(
        `SELECT plan, count(*)::float8 AS accounts FROM accounts JOIN ledger ON account_id = id
         WHERE closed_ms IS NULL GROUP BY plan ORDER BY plan COLLATE "C"`,
        [],
      ),
    async findKey(id) {
      const [row] = await run<KeyDetailsRow>(`${selectKeyDetails} WHERE id = $1::text`, [id])
      return row ? toKeyDetails(row) : null
    },
    async findKeyByHash(hash) {
      const select = selectKeyDetails.replace(
        "FROM keys",
        `, until_ms::float8 AS "secretUntilMs" FROM secrets JOIN keys ON keys.id = key_id`,
      )
      type SecretRow = KeyDetailsRow & { readonly secretUntilMs: number | null }
      const [row] = await run<SecretRow>(`${select} WHERE hash = $1::text`, [hash])
      if (!row) return null
      const { secretUntilMs, ...key } = row
      return { key: toKeyDetails(key), secretUntilMs }
    },
    async countKeys(accountId) {
      const select = "SELECT count(*)::float8 AS count FROM keys WHERE account_id = $1::text"
      const [row] = await run<{ count: number }>(select, [accountId])
      return row?.count ?? 0
    },
    async findSecretHash(keyId) {
      const select = "SELECT hash FROM secrets WHERE key_id = $1::text AND until_ms IS NULL"
      return (await run<{ hash: string }>(select, [keyId]))[0]?.hash ?? null
    },
    findNotice: (id) => findNotice(connection, id),
    ...prepareLists({
      list,
      listAccounts: (query) => list({ ...query, select: selectAccountDetails }),
      selects,
      nameContains: (text) => [
        (parts, whole) => `(name_parts(lower_name) @> ${parts}::text[] AND strpos(lower_name, ${whole}) > 0)`,
        toArray(partsOf(text)),
        text,
      ],
      idBeginsWith: (text) => [(start) => `lower_id ^@ ${start}`, text],
      isClosed: "closed_ms IS NOT NULL",
      mayBeNearLimit: (sinceMs) => `(notified > 0 AND closed_ms IS NULL AND period_start_ms > ${sinceMs})`,
    }),

    usage: prepareUsage(connection),

    findAdminKey: (hash) => findAdminKeyBy("hash", hash),
    findAdminKeyById: (id) => findAdminKeyBy("id", id),

    async findSignInLink(hash) {
      const [row] = await run<SignInLinkRow>(`${selectSignInLinks} WHERE hash = $1::text`, [hash])
      return row ? toSignInLink(row) : null
    },
    async findSession(hash) {
      const [row] = await run<SessionRow>(`${selectSessions} WHERE hash = $1::text`, [hash])
      return row ? toSession(row) : null
    },
    async hasAdmin() {
      const [row] = await run<{ found: boolean }>(
        `SELECT EXISTS (SELECT FROM admin_keys) OR EXISTS (SELECT FROM sessions WHERE kind = 'console') AS found`,
        [],
      )
      return row?.found === true
    },

    async findReplay(actor, key) {
      const [row] = await run<ReplayRecord>(
        `SELECT actor, key, payload_hash AS "payloadHash", operation, target_id AS "targetId",
           created_ms::float8 AS "createdMs", answer
         FROM replays WHERE actor = $1::text AND key = $2::text`,
        [actor, key],
      )
      return row ?? null
    },
    async keepAnswer(actor, key, answer) {
      const update = "UPDATE replays SET answer = $3::text WHERE actor = $1::text AND key = $2::text"
      await run(update, [actor, key, answer])
    },
    async deleteReplaysBefore(ms, limit) {
      const [row] = await run<{ count: number }>(
        `WITH deleted AS (DELETE FROM replays WHERE (actor, key) IN (
           SELECT actor, key FROM replays WHERE created_ms < $1::bigint ORDER BY created_ms LIMIT $2::bigint) RETURNING 1)
         SELECT count(*)::float8 AS count FROM deleted`,
        [ms, limit],
      )
      return row?.count ?? 0
    },
    async forgetReplay({ actor, key, createdMs }) {
      const remove =
        "DELETE FROM replays WHERE actor = $1::text AND key = $2::text AND created_ms = $3::bigint"
      await run(remove, [actor, key, createdMs])
    },
  }
}

/** The longest parts of a text of those that `name_parts` gives for it. */
function partsOf(text: string): readonly string[] {
  const characters = Array.from(text)
  const size = Math.min(3, characters.length)
  const parts = characters.slice(size - 1).map((_, place) => characters.slice(place, place + size).join(""))
  return [...new Set(parts)]
}
