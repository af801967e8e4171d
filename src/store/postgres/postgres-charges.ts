import type { Ports } from "../../apis/contract.ts"
import { type Charge, type ChargeOutcome, ChargeUnknown, type Store, StoreUnavailable } from "../store.ts"
import type { StoreActivity } from "../store-options.ts"
import { createBatchSlots } from "./batch-slots.ts"
import { isRepeated, keepReplays } from "./call-replays.ts"
import {
  type ChargeGroup,
  groupCharges,
  splitByAccount,
  toColumns,
  toIdempotentColumns,
  toTraces,
} from "./charge-groups.ts"
import { type Connection, OutcomeUnknown, toArray } from "./connection.ts"
import { sqlStateOf } from "./errors.ts"
import { type ChargeRequest, chooseAgain, decideAll, type Pending, refused } from "./pending-charges.ts"
import type { ClockSkew, ServerClock } from "./server-clock.ts"
import { noteChanges, type SumFolding, toEntries } from "./usage-sums.ts"

/** Settings of the sessions that charge and take from limits. The planner must lock rows in the order of the arrays. */
export const chargeSettings: Readonly<Record<string, string>> = {
  plan_cache_mode: "force_generic_plan",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  enable_material: "off",
}

/**
 * A statement that arrives in time ends within this time: its connection lets the server end one that waits longer, such as for a
 * locked row, which would be charged after its 503 otherwise. Milliseconds; `limitMs` is a charge's limit.
 */
export function statementLimitOf(limitMs: number): number {
  return limitMs / 2
}

/** Accounts in a statement. */
const smallBatch = 32
const maxBatch = 512
/** Other instances may take the credits that were left, again and again. */
const maxRounds = 8

interface ChargedRow {
  readonly number: number
  readonly used: number
  readonly bonus: number
  readonly periodStartMs: number
  readonly serverMs: number
  readonly batch: string
}

const usedBefore = "CASE WHEN x.period > l.period_start_ms THEN 0 ELSE l.used END"
const leftOfMonth = `CASE WHEN x.allowance IS NULL THEN x.credits ELSE greatest(0, x.allowance - (${usedBefore})) END`

const usedAfter = `(${usedBefore}) + least(x.credits, ${leftOfMonth})`
const thresholdOf = (which: "lowest" | "highest") =>
  `(SELECT current_setting('penknife.${which}_threshold', true)::bigint)`

/** Whether the trigger before_charge has something to do: a day or month ends, a notice may be due, or the row becomes large. */
const needsTrigger = `
  x.day <> l.day OR x.period > l.period_start_ms OR pg_column_size(l.booked) > 1600 OR length(x.items) > 800
  OR (l.notified < 100 AND (
    (x.allowance > 0 AND l.notified < ${thresholdOf("highest")} AND (${usedAfter}) * 100 >= x.allowance * ${thresholdOf("lowest")})
    OR (${usedAfter} >= x.allowance AND l.bonus <= x.credits)))`

/** In brackets it is computed once for each statement, not for each row. */
const serverMs = "(SELECT date_part('epoch', statement_timestamp()) * 1000)"

/** A notice that a row raises takes its trace from this setting, which holds for the row alone. */
const setTrace = "set_config('penknife.traceparent', coalesce(x.traceparent, ''), true) IS NOT NULL"

/** With traces or Idempotency-Keys it has more arrays, which cost a little; few charges need them. */
const chargeStatements = {
  idempotent: toChargeStatement(true, `${keepReplays},`),
  traced: toChargeStatement(true),
  plain: toChargeStatement(false),
}

/**
 * One statement, since an instance that stops inside a transaction would stop all others.
 * @param keep the part that keeps what was charged under Idempotency-Keys
 */
function toChargeStatement(isTraced: boolean, keep = ""): string {
  return `
  WITH charged AS (UPDATE ledger l SET
    used = ${usedAfter},
    bonus = l.bonus - greatest(0, x.credits - (${leftOfMonth})),
    notified = CASE WHEN x.period > l.period_start_ms THEN 0 ELSE l.notified END,
    period_start_ms = greatest(l.period_start_ms, x.period),
    allowance = x.allowance,
    charges = l.charges + CASE WHEN ${needsTrigger} THEN 2 ELSE 1 END,
    day = x.day,
    booked = CASE
      WHEN x.period > l.period_start_ms OR x.day <> l.day
        THEN coalesce(x.items::jsonb, jsonb_build_object(x.api, jsonb_build_array(x.calls, x.credits)))
      -- The sum of no usage is null.
      WHEN x.items IS NOT NULL THEN coalesce(add_usage(l.booked, x.items::jsonb), '{}')
      ELSE l.booked || jsonb_build_object(x.api, jsonb_build_array(
        coalesce((l.booked -> x.api -> 0)::bigint, 0) + x.calls, coalesce((l.booked -> x.api -> 1)::bigint, 0) + x.credits))
    END
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::bigint[],
      $10::float8[]${isTraced ? ", $14::text[]" : ""})
    WITH ORDINALITY AS x (id, credits, allowance, period, api, calls, items, day, revision, deadline${isTraced ? ", traceparent" : ""},
      number)
  WHERE l.account_id = x.id AND l.closed_ms IS NULL AND (x.revision IS NULL OR l.revision = x.revision)
    AND (x.deadline IS NULL OR ${serverMs} < x.deadline)
    AND x.credits <= (${leftOfMonth}) + l.bonus${isTraced ? ` AND ${setTrace}` : ""}
  RETURNING x.number::float8 AS number, l.used::float8 AS used, l.bonus::float8 AS bonus,
    l.period_start_ms::float8 AS "periodStartMs"),
  ${keep}
  ${noteChanges("$11", "$12", "$8::text[], $5::text[], $6::bigint[], $2::bigint[], $7::text[]")}
  SELECT number, used, bonus, "periodStartMs", ${serverMs} AS "serverMs", $13::text AS batch FROM charged`
}

/** Has to be committed and changes no row, so that it waits only for the disk and a synchronous standby. */
const commitStatement = "SELECT pg_logical_emit_message(true, 'penknife', '')"

interface ChargeParts extends Pick<Ports, "clock" | "timer"> {
  readonly serverClock: ServerClock
  readonly skew: Pick<ClockSkew, "require">
  readonly activity: StoreActivity
  readonly sums: Pick<SumFolding, "noted">
  /** A charge is decided within this time, or answered with 503 and never made. Milliseconds. */
  readonly limitMs: number
}

/** Prepares `charge` of the store on some connections that do nothing else. */
export function prepareCharges(
  connections: readonly Connection[],
  { clock, timer, serverClock, skew, activity, sums, limitMs }: ChargeParts,
): Store["charge"] {
  const statementLimitMs = statementLimitOf(limitMs)
  let batches = 0
  /** Counts answers that were late or lost, and statements that the database gave up, on any connection. */
  let losses = 0
  /** The losses after which each connection has seen the database commit. */
  const seenCommitting = new Map<Connection, number>()
  const sizes = { slots: connections.length, smallBatch, maxBatch }
  const slots = createBatchSlots<Pending>(sizes, { clock, timer }, async (slot, pending) => {
    const connection = connections[slot]
    if (!connection) throw new Error("there is a connection for each slot")
    const nowMs = clock.monotonicMs()
    activity.batches++
    activity.charges += pending.length
    for (const { request } of pending) activity.waitSeconds += (nowMs - request.askedMs) / 1_000
    try {
      await chargeAll(connection, pending)
    } catch (cause) {
      decideAll(pending, { charged: false, cause })
    }
  })

  /** Charges all groups that fit, then reads the rows of the others and sends the members that would fit. */
  async function chargeAll(connection: Connection, pending: readonly Pending[]): Promise<void> {
    skew.require()
    let groups = inTime(groupCharges(pending))
    if (groups.length > 0 && losses > (seenCommitting.get(connection) ?? 0)) await requireCommits(connection)
    for (let round = 0; groups.length > 0 && round < maxRounds; round++) {
      const [now, later] = splitByAccount(inTime(groups))
      const missing = await chargeEach(connection, now)
      const again = missing.length === 0 ? [] : await chooseAgain(connection, missing, statementLimitMs)
      groups = [...again, ...later]
    }
    decideAll(pending, { charged: false, cause: tooLate() })
  }

  /**
   * While a synchronous standby is stopped, a charge is made and its answer never comes. So only the first batches meet such a
   * database; the calls after them are refused without a charge.
   */
  async function requireCommits(connection: Connection): Promise<void> {
    const lost = losses
    try {
      await connection.run(commitStatement, [], statementLimitMs)
    } catch (cause) {
      throw new StoreUnavailable("The database does not commit. Nothing was charged.", { cause })
    }
    seenCommitting.set(connection, lost)
  }

  /** Explains the wait of a late charge, for the log. */
  function tooLate(): StoreUnavailable {
    const { waiting, slotsInUse } = slots.load()
    return new StoreUnavailable(
      `The database did not charge within ${limitMs / 1_000} s. Nothing was charged. ` +
        `(${waiting} charges wait; ${slotsInUse} of ${connections.length} connections for charges are in use)`,
    )
  }

  /** Refuses the charges that the database would find too late: nothing is charged after its 503. */
  function inTime(groups: readonly ChargeGroup<Pending>[]): readonly ChargeGroup<Pending>[] {
    const latestMs = clock.monotonicMs() + statementLimitMs
    const isLate = ({ request }: Pending) => request.deadlineMs <= latestMs
    if (!groups.some(({ members }) => members.some(isLate))) return groups
    const all = groups.flatMap(({ members }) => members)
    decideAll(all.filter(isLate), { charged: false, cause: tooLate() })
    return groupCharges(all.filter(({ isDecided }) => !isDecided))
  }

  /**
   * Sends one group for each account. Returns the groups that were not charged. Groups with an Idempotency-Key go alone, since
   * one key that was charged before fails their whole statement.
   */
  async function chargeEach(connection: Connection, groups: readonly ChargeGroup<Pending>[]) {
    if (!groups.some(({ isIdempotent }) => isIdempotent))
      return groups.length === 0 ? [] : chargeGroups(connection, groups)
    const others = groups.filter(({ isIdempotent }) => !isIdempotent)
    const idempotent = groups.filter(({ isIdempotent }) => isIdempotent)
    const missing = others.length === 0 ? [] : await chargeGroups(connection, others)
    return [...missing, ...(await chargeGroups(connection, idempotent))]
  }

  async function chargeGroups(connection: Connection, groups: readonly ChargeGroup<Pending>[]) {
    const batch = String(++batches)
    const sentMs = clock.monotonicMs()
    const { statement, more } = statementFor(groups)
    const parameters = [
      ...toColumns(groups, prepareDeadlines()),
      groups.length,
      toEntries(groups),
      batch,
      ...more,
    ]
    // The server ends a statement that waits for a lock. One that is done but waits for the disk is answered late: calls may
    // wait.
    const limitMs = earliestDeadline(groups.flatMap(({ members }) => members)) - sentMs
    const cancelTimer = timer.after(statementLimitMs, () => void losses++)
    const rows = await connection
      .run<ChargedRow>(statement, parameters, limitMs)
      .finally(cancelTimer)
      .catch((cause: unknown) => {
        // Nothing of the statement was charged. Its calls that were charged earlier are looked up, and the rest is sent again.
        if (isRepeated(cause)) return []
        if (hasWaited(cause)) losses++
        if (cause instanceof OutcomeUnknown) {
          losses++
          const lost = new ChargeUnknown(cause.message, { cause })
          for (const { members } of groups) decideAll(members, { charged: false, cause: lost })
        }
        throw cause
      })
    const answeredMs = clock.monotonicMs()
    activity.roundTripSeconds += (answeredMs - sentMs) / 1_000
    if (rows.some((row) => row.batch !== batch))
      throw new StoreUnavailable("A reply for another batch arrived; the connection is out of step.")
    if (rows[0]) {
      serverClock.observe(rows[0].serverMs, { sentMs, answeredMs })
      sums.noted()
    }
    const missing = new Set(groups)
    for (const { number, used, bonus, periodStartMs } of rows) {
      const group = groups[number - 1]
      if (!group) throw new Error("the database must answer with numbers of groups")
      missing.delete(group)
      decideAll(group.members, { charged: true, used, bonus, periodStartMs })
    }
    return [...missing]
  }

  /** Returns the time in the database's clock at which a statement must have arrived. */
  function prepareDeadlines(): (group: ChargeGroup<Pending>) => number | null {
    const offsetMs = serverClock.at(-statementLimitMs)
    return ({ members }) => {
      if (offsetMs === null) return null
      return earliestDeadline(members) + offsetMs
    }
  }

  return (charges, onDecided) => {
    const askedMs = clock.monotonicMs()
    return new Promise((resolve) => {
      const outcomes: ChargeOutcome[] = []
      let undecided = charges.length
      const request: ChargeRequest = {
        askedMs,
        deadlineMs: askedMs + limitMs,
        decide({ index }, outcome) {
          if (outcome === refused) activity.refusals++
          outcomes[index] = outcome
          onDecided?.(outcome, index)
          undecided--
          if (undecided === 0) resolve(outcomes)
        },
      }
      if (undecided === 0) resolve(outcomes)
      const toPending = (charge: Charge, index: number): Pending => {
        return { accountId: charge.accountId, charge, index, request, isDecided: false }
      }
      slots.submit(charges.map(toPending))
    })
  }
}

/** The statement that some groups need, and its parameters after those that all have. */
function statementFor(groups: readonly ChargeGroup<Pending>[]) {
  const traces = toTraces(groups)
  if (groups[0]?.isIdempotent) {
    const noTraces = toArray(groups.map(() => null))
    return {
      statement: chargeStatements.idempotent,
      more: [traces ?? noTraces, ...toIdempotentColumns(groups)],
    }
  }
  return traces === null
    ? { statement: chargeStatements.plain, more: [] }
    : { statement: chargeStatements.traced, more: [traces] }
}

/**
 * Whether the database gave up a statement, for example because of a locked row. Another instance may hold that row because its
 * commit waits, and the next charge of the row would wait too.
 */
function hasWaited(cause: unknown): boolean {
  return cause instanceof StoreUnavailable && sqlStateOf(cause.cause) === "57014"
}

/** The earliest time at which one of the charges must be decided, by the monotonic clock. */
function earliestDeadline(pending: readonly Pending[]): number {
  return pending.reduce((ms, { request }) => Math.min(ms, request.deadlineMs), Number.POSITIVE_INFINITY)
}
