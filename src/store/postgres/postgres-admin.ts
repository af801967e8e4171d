import { prepareLists } from "../admin-lists.ts"
import { type AdminStore, prepareAdminReads } from "../admin-reads.ts"
import type { AdminChange, Mutation } from "../admin-store.ts"
import { balanceOf, isRaising, toSteps } from "../change-steps.ts"
import { prepareRetentionMarks } from "../retention.ts"
import type { Run } from "../rows.ts"
import { type Step, step } from "../step.ts"
import { readUsage } from "../usage-query.ts"
import type { AccessCache } from "./access-cache.ts"
import { applySteps, type Connection, texts, toArray } from "./connection.ts"
import { usageDialect } from "./usage-sums.ts"

/**
 * The administration's part of the store on a PostgreSQL database.
 * @param read runs reads that may look at many rows
 * @param changing runs changes
 */
export function prepareAdminStore(
  connection: Connection,
  read: Run,
  access: Pick<AccessCache, "clear">,
  changing = connection,
): AdminStore {
  const { run } = connection
  const { monthsUntil: usageMonthsUntil } = prepareRetentionMarks({ read: run, write: run })

  return {
    async apply(change) {
      const outcome = await applySteps(changing, toLockedSteps(change))
      access.clear()
      return outcome
    },

    ...prepareAdminReads({ read: run, write: changing.run }),
    ...prepareLists({
      read,
      texts,
      accountColumns: {
        usual: "id, created_ms, plan, lower_name, lower_id",
        byName: "id, created_ms, plan, lower_name, lower_id",
      },
      lowerName: { accounts: "lower_name", keys: `lower(name COLLATE "C")` },
      openDays: usageDialect.openDays,
      alive: () => [],
      unindexed: (column) => column,
      isOneOf: (column, select) => `${column} = ANY (ARRAY(${select}))`,
      nameContains: (text) => [(whole) => `strpos(lower_name, ${whole}) > 0`, text],
      nameIndex: (text) => [
        (parts, whole) => `(name_parts(lower_name) @> ${parts}::text[] AND strpos(lower_name, ${whole}) > 0)`,
        toArray(partsOf(text)),
        text,
      ],
      idBeginsWith: (text) => [(start) => `lower_id ^@ ${start}`, text],
      isClosed: ofLedger("closed_ms IS NOT NULL"),
      mayBeNearLimit: (sinceMs) =>
        ofLedger(`notified > 0 AND closed_ms IS NULL AND period_start_ms > ${sinceMs}`),
      indexed: () => "",
      ledgerSample: "ledger TABLESAMPLE SYSTEM (1)",
    }),
    usageMonthsUntil,
    usage: (query, page) => readUsage(query, page, { read, dialect: usageDialect, usageMonthsUntil }),
  }
}

/** A condition on the account's ledger row, as a subquery: a join may read all of the ledger for some accounts. */
function ofLedger(condition: string): string {
  return `(SELECT ${condition} FROM ledger WHERE ledger.account_id = accounts.id)`
}

/**
 * The steps of a change. Rows are locked in the order of their ids, so that no two instances wait for each other: an account
 * before its keys, and these before its balance, as charges need only the last.
 */
function toLockedSteps(change: AdminChange): readonly Step[] {
  const { mutations } = change
  const ids = (toId: (mutation: Mutation) => string | null) =>
    toArray([...new Set(mutations.map(toId).filter((id) => id !== null))])
  const keys = ids((mutation) =>
    mutation.kind === "key.update" || mutation.kind === "key.rotate" ? mutation.id : null,
  )
  const toBalance = (mutation: Mutation) =>
    mutation.kind === "key.insert" ? mutation.key.accountId : balanceOf(mutation)
  const balances = ids(toBalance)
  const accounts = ids((mutation) => ("accountId" in mutation ? mutation.accountId : toBalance(mutation)))
  const isOneOf = "= ANY ($1::text[] || ARRAY(SELECT account_id FROM keys WHERE id = ANY ($2::text[])))"
  const ofRows = (sql: string, ...lists: string[]) =>
    lists.every((list) => list === "{}") ? [] : [step(sql, lists)]
  const lock = "FOR NO KEY UPDATE"
  return toSteps(
    change,
    [
      ...mutations.flatMap(toLock),
      ...ofRows(`SELECT 1 FROM accounts WHERE id ${isOneOf} ORDER BY id ${lock}`, accounts, keys),
      ...ofRows(`SELECT 1 FROM keys WHERE id = ANY ($1::text[]) ORDER BY id ${lock}`, keys),
      ...ofRows(
        `SELECT 1 FROM ledger WHERE account_id ${isOneOf} ORDER BY account_id ${lock}`,
        balances,
        keys,
      ),
    ],
    [
      ...ofRows(`UPDATE ledger SET revision = revision + 1 WHERE account_id ${isOneOf}`, balances, keys),
      ...mutations.flatMap(toNotification),
    ],
  )
}

/**
 * If two changes each remove the other's owner, the second waits here, and then sees the first. So does the second of two
 * questions for a link by mail, so that the limits hold across instances.
 */
function toLock(mutation: Mutation): readonly Step[] {
  const isQuestion = mutation.kind === "emailLink.insert" && mutation.limits !== null
  if (!isQuestion && mutation.kind !== "owner.require") return []
  return [step("SELECT pg_advisory_xact_lock(hashtext('penknife'), hashtext($1))", [mutation.kind])]
}

/** Tells all instances of a notice or a mail that is due. */
function toNotification(mutation: Mutation): readonly Step[] {
  if (!isRaising(mutation)) return []
  return [
    step("SELECT pg_notify('penknife_raised', $1)", ["mail" in mutation ? mutation.mail.id : mutation.id]),
  ]
}

/** The longest of the parts of a text that the function `name_parts` returns. */
function partsOf(text: string): readonly string[] {
  const characters = Array.from(text)
  const size = Math.min(3, characters.length)
  const parts = characters.slice(size - 1).map((_, place) => characters.slice(place, place + size).join(""))
  return [...new Set(parts)]
}
