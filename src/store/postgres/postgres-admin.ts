import { prepareLists } from "../admin-lists.ts"
import { prepareAdminReads } from "../admin-reads.ts"
import type { AdminChange, AdminOutcome, AdminStore } from "../admin-store.ts"
import { prepareRetentionMarks } from "../retention.ts"
import type { Run } from "../rows.ts"
import { readUsage } from "../usage-query.ts"
import type { AccessCache } from "./access-cache.ts"
import type { Connection } from "./connection.ts"
import { texts, toArray, toStorableText } from "./parameters.ts"
import { selectNotices } from "./postgres-outbox.ts"
import { usageDialect } from "./usage-sums.ts"

/**
 * The administration's part of the store on a PostgreSQL database.
 * @param read runs reads that may look at many rows
 */
export function prepareAdminStore(
  connection: Connection,
  read: Run,
  access: Pick<AccessCache, "clear">,
): AdminStore {
  const { run } = connection
  const { monthsUntil: usageMonthsUntil } = prepareRetentionMarks({ read: run, write: run })

  return {
    async apply(change) {
      const outcome = await applyChange(connection, change)
      access.clear()
      return outcome
    },

    ...prepareAdminReads({ read: run, write: run, selectNotices }),
    ...prepareLists({
      read,
      texts,
      accountColumns: {
        usual: "id, created_ms, plan, lower_name, lower_id",
        byName: "id, created_ms, plan, lower_name, lower_id",
      },
      lowerName: { accounts: "lower_name", keys: `lower(name COLLATE "C")` },
      byBytes: (column) => `${column} COLLATE "C"`,
      openDays: usageDialect.openDays,
      alive: () => [],
      unindexed: (column) => column,
      isOneOf: (column, select) => `${column} = ANY (ARRAY(${select}))`,
      selectNotices,
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
    }),
    usageMonthsUntil,
    usage: (query, page) => readUsage(query, page, { read, dialect: usageDialect, usageMonthsUntil }),
  }
}

/** A condition on the account's ledger row, as a subquery: a join may read all of the ledger for some accounts. */
function ofLedger(condition: string): string {
  return `(SELECT ${condition} FROM ledger WHERE ledger.account_id = accounts.id)`
}

/** Makes a change with one statement, since an instance that stops inside a transaction would stop all others. */
async function applyChange({ run }: Pick<Connection, "run">, change: AdminChange): Promise<AdminOutcome> {
  const json = JSON.stringify(change, (_, value) =>
    typeof value === "string" ? toStorableText(value) : value,
  )
  const [row] = await run<{ outcome: AdminOutcome }>("SELECT apply_change($1::text::jsonb) AS outcome", [
    json,
  ])
  if (!row) throw new Error("a SELECT without FROM gave no row")
  return row.outcome
}

/** The longest of the parts of a text that the function `name_parts` returns. */
function partsOf(text: string): readonly string[] {
  const characters = Array.from(text)
  const size = Math.min(3, characters.length)
  const parts = characters.slice(size - 1).map((_, place) => characters.slice(place, place + size).join(""))
  return [...new Set(parts)]
}
