import type { Database } from "bun:sqlite"
import { prepareLists } from "../admin-lists.ts"
import { prepareAdminReads } from "../admin-reads.ts"
import type { AdminChange, AdminOutcome, AdminStore, Mutation } from "../admin-store.ts"
import type { StoreListeners } from "../open-store.ts"
import { prepareRetentionMarks } from "../retention.ts"
import type { Run } from "../rows.ts"
import { readUsage } from "../usage-query.ts"
import type { UsageDialect } from "../usage-sql.ts"
import type { AccessCache } from "./access-cache.ts"
import { prepareAccountChanges } from "./account-changes.ts"
import { changeEmailLinks } from "./email-links.ts"
import { prepareKeyChanges } from "./key-changes.ts"
import type { Ledger } from "./ledger.ts"
import { insertMail } from "./mail-rows.ts"
import { insertNotice, resendNotice, selectNotices, setWebhook } from "./notice-rows.ts"
import { changePeople } from "./people-changes.ts"
import { insertRow } from "./row-changes.ts"
import { changeSignIns } from "./sign-in-changes.ts"
import { aliveAt, createRun, texts } from "./statement.ts"
import type { Write } from "./write.ts"

/** How a data file keeps usage. */
const usageDialect: UsageDialect = {
  texts,
  alive: "alive()",
  openDays: `SELECT account_id, day, substr(key, instr(key || ' ', ' ') + 1) AS key_id,
    substr(key, 1, instr(key || ' ', ' ') - 1) AS api, value ->> 0 AS calls, value ->> 1 AS credits FROM ledger, json_each(booked)`,
  totals: `SELECT day, key AS api, value ->> 0 AS calls, value ->> 1 AS credits FROM usage_totals, json_each(booked)`,
}

/** The SQL that is true for a closed account. */
const isClosedAccount = `EXISTS (SELECT 1 FROM ledger INDEXED BY ledger_closed
  WHERE ledger.account_id = accounts.id AND ledger.closed_ms IS NOT NULL)`

interface AdminStoreParts {
  /** Runs reads that may look at many rows. */
  readonly readApart: Run
  readonly read: <T>(operation: () => T) => T
  readonly write: Write
  readonly access: Pick<AccessCache, "clear">
  readonly ledger: Ledger
  readonly onRaised: StoreListeners["onRaised"]
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
  const { read, write, access, ledger } = parts
  const accounts = prepareAccountChanges(database, ledger)
  const keys = prepareKeyChanges(database)
  const raiseRevision = database.query("UPDATE meta SET value = value + 1 WHERE name = 'revision'")
  const run = createRun(database, read)
  const { monthsUntil: usageMonthsUntil } = prepareRetentionMarks({
    read: run,
    write: createRun(database, write),
  })

  function mutate(mutation: Mutation): AdminOutcome {
    switch (mutation.kind) {
      case "account.insert":
        return accounts.insert(mutation.account)
      case "account.update":
        return accounts.update(mutation.id, mutation.version, mutation.set)
      case "account.adjust":
        return accounts.adjust(mutation)
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
      case "emailLink.insert":
      case "emailLink.use":
      case "emailLink.revoke":
        return changeEmailLinks(database, mutation)
      case "person.insert":
      case "person.expect":
      case "person.update":
      case "person.remove":
      case "passkey.insert":
      case "passkey.rename":
      case "passkey.remove":
      case "passkey.use":
      case "challenge.use":
      case "owner.require":
        return changePeople(database, mutation)
      case "adminKey.insert":
        insertRow(database, "admin_keys", { ...mutation.adminKey, hash: mutation.hash })
        return "applied"
      case "adminKey.revoke":
        return revokeAdminKey(database, mutation)
      case "mail.insert":
        return insertMail(database, mutation.mail)
      case "notice.insert":
        return insertNotice(database, mutation)
      case "notice.resend":
        return resendNotice(database, mutation.id, mutation.nowMs)
    }
  }

  function applyAll({ mutations, audit, auditParts = [], replay }: AdminChange): void {
    if (replay !== null) {
      const { operation, targetId } = audit
      const isNew = insertRow(
        database,
        "replays",
        { ...replay, operation, targetId },
        "ON CONFLICT DO NOTHING",
      )
      if (!isNew) throw new NotApplied("replayed")
    }
    for (const mutation of mutations) {
      const outcome = mutate(mutation)
      if (outcome !== "applied") throw new NotApplied(outcome)
    }
    for (const { before, after, ...record } of [...auditParts, audit]) {
      insertRow(database, "audit", { ...record, beforeJson: before, afterJson: after })
    }
  }

  return {
    async apply(change) {
      const isOfAccess = changesAccess(change)
      try {
        await write(() =>
          ledger.transact(() => {
            if (isOfAccess) raiseRevision.run()
            applyAll(change)
          }),
        )
      } catch (cause) {
        if (cause instanceof NotApplied) return cause.outcome
        throw cause
      }
      // After that, no process serves an outdated key.
      if (isOfAccess) access.clear()
      if (change.mutations.some(({ kind }) => /^(?:notice|mail)\./.test(kind))) parts.onRaised([])
      return "applied"
    },

    ...prepareAdminReads({ read: run, write: createRun(database, write), selectNotices }),
    ...prepareSqliteLists(parts.readApart),
    usageMonthsUntil,
    usage: (query, page) =>
      readUsage(query, page, { read: parts.readApart, dialect: usageDialect, usageMonthsUntil }),
  }
}

/** Whether calls depend on what is changed. */
function changesAccess({ mutations }: AdminChange): boolean {
  return mutations.some(({ kind }) => kind.startsWith("account.") || kind.startsWith("key."))
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

/** Columns by which `alive()` is asked seldom: as good as random, and in the index that a search reads. */
const numbers: Readonly<Record<string, string>> = {
  accounts: "created_ms",
  keys: "created_ms",
  ledger: "number",
}

/** The lists of the administration on one connection. */
function prepareSqliteLists(read: Run) {
  return prepareLists({
    read,
    texts,
    // The usual ones are in the indexes that give the order. A name in small letters is computed for each row.
    accountColumns: { usual: "id, created_ms, plan, name", byName: "id, created_ms, plan, name, lower_name" },
    lowerName: { accounts: "lower_name", keys: "lower_name" },
    byBytes: (column) => column,
    openDays: usageDialect.openDays,
    alive: (table) => [[() => (numbers[table] ? aliveAt(numbers[table]) : "alive()")]],
    unindexed: (column) => `+${column}`,
    isOneOf: (column, select) => `${column} IN (${select})`,
    selectNotices,
    // LIKE knows the cases of A to Z itself: with lower() a search takes twice as long.
    nameContains: (text) => [(pattern) => `name LIKE ${pattern} ESCAPE '\\'`, `%${escapeLike(text)}%`],
    nameIndex: null,
    idBeginsWith: (text) => [(pattern) => `id LIKE ${pattern} ESCAPE '\\'`, `${escapeLike(text)}%`],
    isClosed: isClosedAccount,
    mayBeNearLimit: (sinceMs) => `EXISTS (SELECT 1 FROM ledger INDEXED BY ledger_near_limit
      WHERE ledger.account_id = accounts.id AND notified > 0 AND closed_ms IS NULL AND period_start_ms > ${sinceMs})`,
    indexed: (name) => `INDEXED BY ${name}`,
  })
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&")
}
