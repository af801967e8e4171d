import type { Charge } from "../store.ts"
import { splitUsageEntry } from "../store.ts"
import type { UsageDialect } from "../usage-sql.ts"
import type { ChargeGroup } from "./charge-groups.ts"
import { type Connection, texts } from "./connection.ts"

/** Statements that write a row each, before the rows are added up. To read them all takes a few milliseconds. */
const defaultRows = 1_000

/**
 * The part of a charging statement that notes the charged usage for the sums of all accounts. It follows `charged`, which has the
 * numbers of the groups that were charged.
 * @param count the parameter with the number of groups
 * @param entries the parameter with {@link toEntries} of all groups; it is noted when all were charged
 * @param arrays the parameters with days, APIs, calls, credits and items of all groups
 */
export function noteChanges(count: string, entries: string, arrays: string): string {
  return `noted AS (INSERT INTO usage_changes (entries)
    SELECT (CASE WHEN count(*) = ${count}::bigint THEN ${entries}::text ELSE entries_of(array_agg(number::bigint), ${arrays}) END)::jsonb
    FROM charged HAVING count(*) > 0)`
}

/** The usage of some groups by day and API, as JSON: `[[day, api, calls, credits], …]`. */
export function toEntries<T extends { readonly charge: Charge }>(groups: readonly ChargeGroup<T>[]): string {
  const sums = new Map<string, [day: string, api: string, calls: number, credits: number]>()
  for (const { charge, usage } of groups) {
    for (const { entry, calls, credits } of usage) {
      const { api } = splitUsageEntry(entry)
      const sum = sums.getOrInsertComputed(`${charge.day} ${api}`, () => [charge.day, api, 0, 0])
      sum[2] += calls
      sum[3] += credits
    }
  }
  return JSON.stringify([...sums.values()])
}

/** The entries of a row; none of a row that cannot be read. A condition in WHERE could be evaluated too late. */
const readable = "jsonb_array_elements(CASE WHEN is_noted_usage(entries) THEN entries ELSE '[]' END)"

/**
 * The usage of all accounts together by day and API, in columns day, api, calls and credits. A day may be in several rows.
 */
const allSums = `
  SELECT day, api, calls, credits FROM usage_sums
  UNION ALL SELECT (entry ->> 0) COLLATE "C", (entry ->> 1) COLLATE "C", (entry -> 2)::bigint, (entry -> 3)::bigint
    FROM usage_changes, ${readable} AS entry`

/** How PostgreSQL keeps usage. */
export const usageDialect: UsageDialect = {
  texts,
  alive: "true",
  openDays: `SELECT account_id, day, key_of(key) COLLATE "C" AS key_id, api_of(key) COLLATE "C" AS api,
    (value ->> 0)::bigint AS calls, (value ->> 1)::bigint AS credits FROM ledger, jsonb_each(booked)`,
  totals: allSums,
}

/** Moves rows of `usage_changes` into the sums, unless another instance does so now. Rows that cannot be read are set aside. */
export const foldChanges = `
  WITH mine AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(7361002) AS is_mine),
  taken AS (DELETE FROM usage_changes USING mine WHERE is_mine RETURNING entries),
  aside AS (INSERT INTO usage_set_aside (entries) SELECT entries FROM taken WHERE NOT is_noted_usage(entries) RETURNING 1),
  added AS (INSERT INTO usage_sums AS known (day, api, calls, credits)
    SELECT entry ->> 0, entry ->> 1, sum((entry -> 2)::bigint), sum((entry -> 3)::bigint)
    FROM taken, ${readable} AS entry GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (day, api)
    DO UPDATE SET calls = known.calls + excluded.calls, credits = known.credits + excluded.credits)
  SELECT count(*)::float8 AS rows FROM aside`

/** Adds up the usage that charges have noted. */
export type SumFolding = ReturnType<typeof prepareFolding>

interface FoldingEvents {
  /** Gets the reason of a failure; the rows stay, and are added up the next time. */
  onProblem(cause: unknown): void
  /** Gets how many rows could not be read, and are now in `usage_set_aside`. */
  onSetAside(rows: number): void
}

/** Adds up the changes after every `rows` statements of this instance. */
export function prepareFolding(
  { run }: Pick<Connection, "run">,
  { onProblem, onSetAside }: FoldingEvents,
  rows = defaultRows,
) {
  let waiting = 0
  let folding: Promise<void> | null = null

  async function fold(): Promise<void> {
    waiting = 0
    try {
      const [aside] = await run<{ rows: number }>(foldChanges, [])
      if (aside && aside.rows > 0) onSetAside(aside.rows)
    } catch (cause) {
      onProblem(cause)
    } finally {
      folding = null
    }
  }
  return {
    /** Is called for each statement that noted something. */
    noted(): void {
      waiting++
      if (waiting >= rows) folding ??= fold()
    },
    /** Resolves once nothing is being added up. */
    settled: async () => folding ?? undefined,
  }
}
