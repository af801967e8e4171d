import type { Database } from "bun:sqlite"
import { prepareAdminReads } from "../admin-reads.ts"
import type { AdminChange, AdminOutcome, AdminStore, AuditRecord, Mutation } from "../admin-store.ts"
import type { NoticeRules } from "../outbox.ts"
import type { Run } from "../rows.ts"
import { readUsage } from "../usage-query.ts"
import type { UsageDialect } from "../usage-sql.ts"
import type { AccountChanges } from "./account-changes.ts"
import { isClosedAccount, prepareSqliteLists } from "./admin-lists.ts"
import type { Administer } from "./administer.ts"
import type { KeyChanges } from "./key-changes.ts"
import type { Ledger } from "./ledger.ts"
import { insertNotice, resendNotice, setWebhook } from "./notice-changes.ts"
import { selectNotices } from "./outbox-rows.ts"
import { changeSignIns } from "./sign-in-changes.ts"
import { createRun, texts } from "./statement.ts"
import type { Write } from "./write.ts"

/** How a data file keeps usage. */
const usageDialect: UsageDialect = {
  texts,
  openDays: `SELECT account_id, day, substr(key, instr(key || ' ', ' ') + 1) AS key_id,
    substr(key, 1, instr(key || ' ', ' ') - 1) AS api, value ->> 0 AS calls, value ->> 1 AS credits FROM ledger, json_each(booked)`,
  totals: `SELECT day, key AS api, value ->> 0 AS calls, value ->> 1 AS credits FROM usage_totals, json_each(booked)`,
}

interface AdminStoreParts {
  /** Runs long reads. Other work gets its turn before each statement. */
  readonly readInTurn: Run
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
  const run = createRun(database, read)

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

    ...prepareAdminReads({
      read: run,
      write: createRun(database, write),
      selectNotices,
    }),
    async plansInUse() {
      const select = `SELECT plan, count(*) AS accounts FROM accounts WHERE NOT (${isClosedAccount}) GROUP BY plan ORDER BY plan`
      return read(() => database.query<{ plan: string; accounts: number }, []>(select).all())
    },
    ...prepareSqliteLists(run),
    usage: (query, page) => readUsage(query, page, { read: parts.readInTurn, dialect: usageDialect }),
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
