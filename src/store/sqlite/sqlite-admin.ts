import { type Database, SQLiteError } from "bun:sqlite"
import { prepareLists } from "../admin-lists.ts"
import { type AdminStore, prepareAdminReads } from "../admin-reads.ts"
import type { AdminChange, AdminOutcome } from "../admin-store.ts"
import { balanceOf, isRaising, toSteps } from "../change-steps.ts"
import { prepareRetentionMarks } from "../retention.ts"
import type { Run } from "../rows.ts"
import { step } from "../step.ts"
import type { StoreListeners } from "../store-options.ts"
import { readUsage } from "../usage-query.ts"
import type { UsageDialect } from "../usage-sql.ts"
import type { AccessCache } from "./access-cache.ts"
import type { Ledger } from "./charge.ts"
import type { Write } from "./read-write.ts"
import { aliveAt, runStep, texts } from "./statement.ts"

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
  readonly runs: Readonly<Record<"read" | "write", Run>>
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
  const { runs, write, access, ledger } = parts
  const { monthsUntil: usageMonthsUntil } = prepareRetentionMarks(runs)

  function applyAll(change: AdminChange): void {
    for (const mutation of change.mutations) {
      const entry = mutation.kind === "account.renew" ? ledger.read(mutation.id) : null
      if (entry === null) continue
      ledger.closeDay(entry)
      ledger.write(entry)
    }
    for (const step of toSteps(change, changesAccess(change) ? [raiseRevision] : [])) {
      if (runStep(database, step).length === 0 && step.else !== undefined) throw new NotApplied(step.else)
    }
    for (const mutation of change.mutations) ledger.drop(balanceOf(mutation) ?? "")
  }

  return {
    async apply(change) {
      try {
        await write(() => ledger.transact(() => applyAll(change)))
      } catch (cause) {
        if (cause instanceof NotApplied) return cause.outcome
        // Another account has an external id or an address already.
        if (cause instanceof SQLiteError && /: accounts\.(?:external_id|email)$/.test(cause.message))
          return "taken"
        throw cause
      }
      // After that, no process serves an outdated key.
      if (changesAccess(change)) access.clear()
      if (change.mutations.some(isRaising)) parts.onRaised([])
      return "applied"
    },

    ...prepareAdminReads(runs),
    ...prepareSqliteLists(parts.readApart),
    usageMonthsUntil,
    usage: (query, page) =>
      readUsage(query, page, { read: parts.readApart, dialect: usageDialect, usageMonthsUntil }),
  }
}

const raiseRevision = step("UPDATE meta SET value = value + 1 WHERE name = 'revision'", [])

/** Whether calls depend on what is changed. */
function changesAccess({ mutations }: AdminChange): boolean {
  return mutations.some(({ kind }) => kind.startsWith("account.") || kind.startsWith("key."))
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
    openDays: usageDialect.openDays,
    alive: (table) => [[() => (numbers[table] ? aliveAt(numbers[table]) : "alive()")]],
    unindexed: (column) => `+${column}`,
    isOneOf: (column, select) => `${column} IN (${select})`,
    // LIKE knows the cases of A to Z itself: with lower() a search takes twice as long.
    nameContains: (text) => [(pattern) => `name LIKE ${pattern} ESCAPE '\\'`, `%${escapeLike(text)}%`],
    nameIndex: null,
    idBeginsWith: (text) => [(pattern) => `id LIKE ${pattern} ESCAPE '\\'`, `${escapeLike(text)}%`],
    isClosed: isClosedAccount,
    mayBeNearLimit: (sinceMs) => `EXISTS (SELECT 1 FROM ledger INDEXED BY ledger_near_limit
      WHERE ledger.account_id = accounts.id AND notified > 0 AND closed_ms IS NULL AND period_start_ms > ${sinceMs})`,
    indexed: (name) => `INDEXED BY ${name}`,
    // A hundred stretches, at the same distance from each other.
    ledgerSample: `(SELECT ledger.* FROM (WITH RECURSIVE starts (n) AS (
        SELECT 1 UNION ALL SELECT n + (SELECT max(number) / 100 + 1 FROM ledger) FROM starts LIMIT 100) SELECT n FROM starts)
      CROSS JOIN ledger WHERE number BETWEEN n AND n + (SELECT max(number) / 10000 FROM ledger)) AS ledger`,
  })
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&")
}
