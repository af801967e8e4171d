import type { Database } from "bun:sqlite"
import type { Timer } from "../../apis/contract.ts"
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
import type {
  AdminChange,
  AdminKeyRecord,
  AdminOutcome,
  AdminStore,
  AuditRecord,
  Mutation,
  ReplayRecord,
} from "../admin-store.ts"
import { selectPlanNames } from "../list-query.ts"
import type { NoticeRecord, NoticeRules } from "../outbox.ts"
import type { AccountChanges } from "./account-changes.ts"
import { isClosedAccount, prepareSqliteLists } from "./admin-lists.ts"
import type { Administer } from "./administer.ts"
import type { KeyChanges } from "./key-changes.ts"
import type { Ledger } from "./ledger.ts"
import { insertNotice, resendNotice, setWebhook } from "./notice-changes.ts"
import { selectNotices } from "./outbox-rows.ts"
import {
  accountDetailsColumns,
  accountTables,
  adminKeyColumns,
  keyDetailsColumns,
  sessionColumns,
  signInLinkColumns,
} from "./rows.ts"
import { changeSignIns } from "./sign-in-changes.ts"
import { prepareUsage } from "./usage.ts"
import type { Write } from "./write.ts"

export interface AdminStoreParts {
  readonly timer: Timer
  readonly read: <T>(operation: () => T) => T
  readonly write: Write
  readonly administer: Administer
  readonly ledger: Ledger
  readonly accounts: AccountChanges
  readonly keys: KeyChanges
  readonly notices: Pick<NoticeRules, "onRaised"> | undefined
}

/** Ends the transaction of a change that cannot be applied. */
class NotApplied extends Error {
  override readonly name = "NotApplied"
  readonly outcome: AdminOutcome

  constructor(outcome: AdminOutcome) {
    super(outcome)
    this.outcome = outcome
  }
}

/** The administration's part of the store on one SQLite connection. */
export function prepareAdminStore(database: Database, parts: AdminStoreParts): AdminStore {
  const { read, write, administer, ledger, accounts, keys } = parts

  function mutate(mutation: Mutation): AdminOutcome {
    switch (mutation.kind) {
      case "account.insert":
        return accounts.insert(mutation.account)
      case "account.update":
        return accounts.update(mutation.id, mutation.version, mutation.set)
      case "account.grant":
        return accounts.grant(mutation.id, mutation.credits, mutation.maxBonus)
      case "account.renew":
        return accounts.renew(mutation.id, mutation)
      case "webhook.set":
        return setWebhook(database, mutation.accountId, mutation.webhook)
      case "key.insert":
        return keys.insert(mutation.key, mutation.secret)
      case "key.update":
        return keys.update(mutation.id, mutation.version, mutation.set)
      case "key.rotate":
        return keys.rotate(mutation.id, mutation.version, mutation.secret, mutation.othersUntilMs)
      case "keys.limit":
        return limitKeys(database, mutation)
      case "link.insert":
      case "link.use":
      case "session.insert":
      case "session.end":
      case "session.endAll":
      case "session.bind":
        return changeSignIns(database, mutation)
      case "adminKey.insert":
        return insertAdminKey(database, mutation)
      case "adminKey.revoke":
        return revokeAdminKey(database, mutation)
      case "notice.insert":
        return insertNotice(database, mutation)
      case "notice.resend":
        return resendNotice(database, mutation.id, mutation.nowMs)
    }
  }

  function applyAll({ mutations, audit, replay }: AdminChange): void {
    if (replay !== null && !insertReplay(database, audit, replay)) throw new NotApplied("replayed")
    for (const mutation of mutations) {
      const outcome = mutate(mutation)
      if (outcome !== "applied") throw new NotApplied(outcome)
    }
    insertAudit(database, audit)
  }

  const findAccount = database.query<AccountDetailsRow, [string]>(
    `SELECT ${accountDetailsColumns} FROM ${accountTables} WHERE id = ?1`,
  )
  const findKey = database.query<KeyDetailsRow, [string]>(
    `SELECT ${keyDetailsColumns} FROM keys WHERE id = ?1`,
  )

  async function findAdminKeyBy(column: "hash" | "id", value: string): Promise<AdminKeyRecord | null> {
    const select = `SELECT ${adminKeyColumns} FROM admin_keys WHERE ${column} = ?1`
    const row = read(() => database.query<AdminKeyRow, [string]>(select).get(value))
    return row && toAdminKey(row)
  }

  return {
    async apply(change) {
      try {
        if (changesAccess(change)) await administer(() => applyAll(change))
        else await write(() => ledger.transact(() => applyAll(change)))
      } catch (cause) {
        if (cause instanceof NotApplied) return cause.outcome
        throw cause
      }
      if (change.mutations.some(({ kind }) => kind.startsWith("notice."))) parts.notices?.onRaised([])
      return "applied"
    },

    async findAccount(id) {
      const row = read(() => findAccount.get(id))
      return row && toAccountDetails(row)
    },
    async planNames() {
      const rows = read(() => database.query<{ plan: string }, []>(selectPlanNames).all())
      return rows.map(({ plan }) => plan)
    },
    async plansInUse() {
      const select = `SELECT plan, count(*) AS accounts FROM accounts WHERE NOT (${isClosedAccount}) GROUP BY plan ORDER BY plan`
      return read(() => database.query<{ plan: string; accounts: number }, []>(select).all())
    },
    async findKey(id) {
      const row = read(() => findKey.get(id))
      return row && toKeyDetails(row)
    },
    async findKeyByHash(hash) {
      const secret = read(() =>
        database
          .query<{ keyId: string; untilMs: number | null }, [string]>(
            "SELECT key_id AS keyId, until_ms AS untilMs FROM secrets WHERE hash = ?1",
          )
          .get(hash),
      )
      const row = secret && read(() => findKey.get(secret.keyId))
      return row && { key: toKeyDetails(row), secretUntilMs: secret.untilMs }
    },
    async countKeys(accountId) {
      const select = "SELECT count(*) AS count FROM keys WHERE account_id = ?1"
      return read(() => database.query<{ count: number }, [string]>(select).get(accountId))?.count ?? 0
    },
    async findSecretHash(keyId) {
      const select = "SELECT hash FROM secrets WHERE key_id = ?1 AND until_ms IS NULL"
      return read(() => database.query<{ hash: string }, [string]>(select).get(keyId))?.hash ?? null
    },
    async findNotice(id) {
      const select = `${selectNotices} WHERE notices.id = ?1`
      return read(() => database.query<NoticeRecord, [string]>(select).get(id))
    },
    ...prepareSqliteLists(database, read),
    usage: prepareUsage(database, parts.timer, read),

    findAdminKey: (hash) => findAdminKeyBy("hash", hash),
    findAdminKeyById: (id) => findAdminKeyBy("id", id),

    async findSignInLink(hash) {
      const select = `SELECT ${signInLinkColumns} FROM sign_in_links WHERE hash = ?1`
      const row = read(() => database.query<SignInLinkRow, [string]>(select).get(hash))
      return row && toSignInLink(row)
    },
    async findSession(hash) {
      const select = `SELECT ${sessionColumns} FROM sessions WHERE hash = ?1`
      const row = read(() => database.query<SessionRow, [string]>(select).get(hash))
      return row && toSession(row)
    },
    async hasAdmin() {
      const select = `SELECT EXISTS (SELECT 1 FROM admin_keys) OR EXISTS (SELECT 1 FROM sessions WHERE kind = 'console') AS found`
      return read(() => database.query<{ found: number }, []>(select).get())?.found === 1
    },

    async findReplay(actor, key) {
      const select = `SELECT actor, key, payload_hash AS payloadHash, operation, target_id AS targetId, created_ms AS createdMs,
        answer FROM replays WHERE actor = ?1 AND key = ?2`
      return read(() => database.query<ReplayRecord, [string, string]>(select).get(actor, key))
    },
    async keepAnswer(actor, key, answer) {
      const update = "UPDATE replays SET answer = ?3 WHERE actor = ?1 AND key = ?2"
      await write(() => database.query(update).run(actor, key, answer))
    },
    deleteReplaysBefore(ms, limit) {
      const remove = `DELETE FROM replays WHERE (actor, key) IN (
        SELECT actor, key FROM replays WHERE created_ms < ?1 ORDER BY created_ms LIMIT ?2)`
      return write(() => database.query(remove).run(ms, limit).changes)
    },
    async forgetReplay({ actor, key, createdMs }) {
      const remove = "DELETE FROM replays WHERE actor = ?1 AND key = ?2 AND created_ms = ?3"
      await write(() => database.query(remove).run(actor, key, createdMs))
    },
  }
}

/** Whether the change concerns what calls are decided by. */
function changesAccess({ mutations }: AdminChange): boolean {
  return mutations.some(({ kind }) => kind.startsWith("account.") || kind.startsWith("key."))
}

/** False when there is one with this key. */
function insertReplay(
  database: Database,
  { operation, targetId }: AuditRecord,
  { actor, key, payloadHash, createdMs }: NonNullable<AdminChange["replay"]>,
): boolean {
  const { changes } = database
    .query(
      `INSERT INTO replays (actor, key, payload_hash, operation, target_id, created_ms)
       VALUES ($actor, $key, $payloadHash, $operation, $targetId, $createdMs) ON CONFLICT DO NOTHING`,
    )
    .run({ actor, key, payloadHash, operation, targetId, createdMs })
  return changes === 1
}

function insertAudit(database: Database, audit: AuditRecord): void {
  database
    .query(
      `INSERT INTO audit (id, at_ms, actor, actor_name, operation, target_kind, target_id, account_id, before_json,
         after_json, source, request_id)
       VALUES ($id, $atMs, $actor, $actorName, $operation, $targetKind, $targetId, $accountId, $before, $after, $source,
         $requestId)`,
    )
    .run({ ...audit })
}

function limitKeys(
  database: Database,
  { accountId, most, nowMs }: Extract<Mutation, { kind: "keys.limit" }>,
): AdminOutcome {
  const live = database
    .query<{ count: number }, [string, number]>(
      `SELECT count(*) AS count FROM keys
       WHERE account_id = ?1 AND revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > ?2)`,
    )
    .get(accountId, nowMs)
  return live !== null && live.count < most ? "applied" : "tooMany"
}

function insertAdminKey(
  database: Database,
  { adminKey, hash }: Extract<Mutation, { kind: "adminKey.insert" }>,
): AdminOutcome {
  const { permissions, ...fields } = adminKey
  database
    .query(
      `INSERT INTO admin_keys (id, hash, name, prefix, permissions, created_ms, expires_ms, revoked_ms)
       VALUES ($id, $hash, $name, $prefix, $permissions, $createdMs, $expiresMs, $revokedMs)`,
    )
    .run({ ...fields, hash, permissions: JSON.stringify(permissions) })
  return "applied"
}

/** An earlier revocation keeps its time. */
function revokeAdminKey(
  database: Database,
  { id, revokedMs }: Extract<Mutation, { kind: "adminKey.revoke" }>,
): AdminOutcome {
  const { changes } = database
    .query("UPDATE admin_keys SET revoked_ms = min(coalesce(revoked_ms, ?2), ?2) WHERE id = ?1")
    .run(id, revokedMs)
  return changes === 1 ? "applied" : "missing"
}
