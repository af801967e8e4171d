import { maxSpanMs, type RequestFilter, valuesOfFilter } from "./request-block.ts"
import { commonMembers, type GroupedBlock, inValueList, readGroupText } from "./request-group.ts"
import type { Run } from "./rows.ts"

/** A block that may have what is wanted. */
export type Candidate = Pick<GroupedBlock, "atMs" | "process">

/** The candidates of a search, newest first. */
export interface Candidates {
  /** So many of them or less: none at the end, and none when {@link Candidates.looked} is `mostLooked` or more. */
  next(count: number, mostLooked: number): Promise<readonly Candidate[]>
  /** No candidate that is still to come has a later {@link Candidate.atMs}. */
  restMs(): number
  /** Entries of the index, or blocks without one, that were looked at. */
  looked(): number
}

/** How a kind of store looks for a text in another one. */
export type Contains = "instr" | "strpos"

/** Entries that are looked at for one page. */
export const maxLooked = 4_096
/** Entries that one statement reads: few at first, since most searches need few. */
const groupsAtOnce = { first: 2, most: 128 }
const blocksAtOnce = 512

/**
 * Finds the blocks that may have what is wanted: those whose values have all that the filter asks for.
 * @param read gives way to other work before each statement
 */
export function createCandidates(read: Run, filter: RequestFilter, contains: Contains): Candidates {
  const values = valuesOfFilter(filter)
  const given = new Set<string>()
  const pool: Candidate[] = []
  /** What is not read has no later time. */
  let unreadMs = Number.POSITIVE_INFINITY
  let looked = 0
  const readMore = values.length === 0 ? createBlockReader() : createGroupReader()

  return {
    async next(count, mostLooked) {
      while (!hasReady(count) && unreadMs !== Number.NEGATIVE_INFINITY && looked < mostLooked)
        await readMore()
      const ready = pool.findIndex(({ atMs }) => atMs < unreadMs)
      return pool.splice(0, Math.min(count, ready < 0 ? pool.length : ready))
    },
    restMs: () => Math.max(unreadMs, pool[0]?.atMs ?? Number.NEGATIVE_INFINITY),
    looked: () => looked,
  }

  function hasReady(count: number): boolean {
    const last = pool[count - 1]
    return last !== undefined && last.atMs >= unreadMs
  }

  function take(blocks: readonly GroupedBlock[]): void {
    const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = filter
    for (const block of blocks) {
      const { atMs, process } = block
      const name = `${atMs} ${process}`
      // While a group is made, its blocks are in both places.
      if (given.has(name) || atMs < fromMs || block.fromMs >= toMs) continue
      given.add(name)
      pool.push({ atMs, process })
    }
    pool.sort((a, b) => b.atMs - a.atMs || (a.process < b.process ? 1 : -1))
  }

  /** Without a condition that the index has, all blocks are candidates. */
  function createBlockReader(): () => Promise<void> {
    let last: Candidate | null = null
    return async () => {
      const sent: (string | number)[] = []
      const rows = await read<GroupedBlock>(
        `SELECT at_ms::float8 AS "atMs", from_ms::float8 AS "fromMs", process FROM kept_requests
          WHERE ${inTime(sent)}${last === null ? "" : ` AND (at_ms, process) < ($${sent.push(last.atMs)}::bigint, $${sent.push(last.process)}::text)`}
          ORDER BY at_ms DESC, process DESC LIMIT ${blocksAtOnce}`,
        sent,
      )
      take(rows)
      looked += rows.length
      last = rows.at(-1) ?? null
      unreadMs = rows.length < blocksAtOnce ? Number.NEGATIVE_INFINITY : (last?.atMs ?? 0)
    }
  }

  /** First the recent blocks, which are in no group. The other order could miss a block that is moved meanwhile. */
  function createGroupReader(): () => Promise<void> {
    let isFirst = true
    let last = Number.MAX_SAFE_INTEGER
    let atOnce = groupsAtOnce.first
    return async () => {
      if (isFirst) {
        isFirst = false
        const recent = await readRecent()
        take(recent)
        looked += recent.length
      }
      const groups = await readGroups(last, atOnce)
      for (const { blocks, members } of groups) {
        if (blocks === null) continue
        const all = readGroupText(blocks)
        take(commonMembers(JSON.parse(members)).flatMap((number) => all[number] ?? []))
      }
      looked += groups.length
      const end = groups.at(-1)
      last = end?.number ?? 0
      unreadMs = end && groups.length === atOnce ? end.untilMs : Number.NEGATIVE_INFINITY
      atOnce = Math.min(4 * atOnce, groupsAtOnce.most)
    }
  }

  function readRecent(): Promise<readonly GroupedBlock[]> {
    const sent: (string | number)[] = []
    const has = values.map((value) => `${contains}(value_list, $${sent.push(inValueList(value))}::text) > 0`)
    return read<GroupedBlock>(
      `SELECT at_ms::float8 AS "atMs", from_ms::float8 AS "fromMs", process FROM kept_request_recent
        WHERE ${inTime(sent)} AND ${has.join(" AND ")}`,
      sent,
    )
  }

  function readGroups(below: number, atOnce: number): Promise<readonly GroupRow[]> {
    const sent: (string | number)[] = []
    const text = (value: string) => `$${sent.push(value)}::text`
    const number = (value: number) => `$${sent.push(value)}::bigint`
    const [lead = "", ...others] = values
    const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = filter
    const entries = `SELECT number, members FROM kept_request_values
      WHERE value = ${text(lead)} AND number < ${number(below)} ORDER BY number DESC LIMIT ${atOnce}`
    const joins = others.map(
      (value, n) => `LEFT JOIN kept_request_values AS other${n}
        ON other${n}.value = ${text(value)} AND other${n}.number = entry.number`,
    )
    const members = ["entry", ...others.map((_, n) => `other${n}`)].map((table) => `${table}.members`)
    const quoted = members.map((column) => `'"' || ${column} || '"'`).join(` || ',' || `)
    return read<GroupRow>(
      `SELECT entry.number::float8 AS number, until_ms::float8 AS "untilMs", '[' || ${quoted} || ']' AS members,
        CASE WHEN claimed_ms IS NULL AND from_ms < ${number(toMs)} AND until_ms >= ${number(fromMs)}
          ${members.map((column) => `AND ${column} IS NOT NULL`).join(" ")} THEN blocks END AS blocks
        FROM (${entries}) AS entry JOIN kept_request_groups ON kept_request_groups.number = entry.number ${joins.join(" ")}
        ORDER BY entry.number DESC`,
      sent,
    )
  }

  /** The condition that a block may have requests of the time of the filter. */
  function inTime(sent: (string | number)[]): string {
    const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER - maxSpanMs } = filter
    return `at_ms >= $${sent.push(fromMs)}::bigint AND at_ms < $${sent.push(toMs + maxSpanMs)}::bigint
      AND from_ms < $${sent.push(toMs)}::bigint`
  }
}

/** A group that has the first value of a search. Without `blocks` it lacks another one, is of another time or is not finished. */
interface GroupRow {
  readonly number: number
  readonly untilMs: number
  /** JSON of a text for each value. */
  readonly members: string
  readonly blocks: string | null
}
