import type { Clock } from "../../apis/contract.ts"
import type { StoreActivity } from "../activity.ts"
import { type Charge, type ChargeOutcome, ChargeUnknown, StoreUnavailable } from "../store.ts"
import { toArray } from "./arrays.ts"
import { type ChargeGroup, groupCharges, splitByAccount, sumOf } from "./charge-groups.ts"
import { type Connection, OutcomeUnknown } from "./connection.ts"
import { createLanes } from "./lanes.ts"
import type { ServerClock } from "./server-clock.ts"

/**
 * Settings of the sessions that charge. The planner must lock the rows in the order of the statement's arrays. The server itself
 * ends a statement that waits too long, such as for a locked row: it would be charged after its 503 otherwise.
 */
export function chargeSettings(limitMs: number): Readonly<Record<string, string>> {
  return {
    plan_cache_mode: "force_generic_plan",
    enable_hashjoin: "off",
    enable_mergejoin: "off",
    enable_seqscan: "off",
    enable_material: "off",
    // Shorter than the wait for its answer, which then says that nothing was charged.
    statement_timeout: String(Math.ceil(statementLimitOf(limitMs) * 0.8)),
  }
}

/** A statement that arrives in time ends within this time. Milliseconds; `limitMs` is that of a charge. */
function statementLimitOf(limitMs: number): number {
  return limitMs / 2
}

const maxBatch = 512
/** Other instances may take the credits that were left, again and again. */
const maxRounds = 8

interface Pending {
  readonly accountId: string
  readonly charge: Charge
  /** Monotonic times. */
  readonly askedMs: number
  readonly deadlineMs: number
  outcome: ChargeOutcome | null
}

interface ChargedRow {
  readonly number: number
  readonly used: number
  readonly bonus: number
  readonly periodStartMs: number
  readonly serverMs: number
  readonly batch: string
}

interface LedgerRow {
  readonly accountId: string
  readonly closed: boolean
  readonly revision: number
  readonly periodStartMs: number
  readonly used: number
  readonly bonus: number
}

const refused: ChargeOutcome = { charged: false }
const changed: ChargeOutcome = { charged: false, cause: "changed" }

const usedBefore = "CASE WHEN x.period > l.period_start_ms THEN 0 ELSE l.used END"
const leftOfMonth = `CASE WHEN x.allowance IS NULL THEN x.credits ELSE greatest(0, x.allowance - (${usedBefore})) END`

/** One statement, since an instance that stops inside a transaction would stop all others. */
const chargeStatement = `
  UPDATE ledger l SET
    used = (${usedBefore}) + least(x.credits, ${leftOfMonth}),
    bonus = l.bonus - greatest(0, x.credits - (${leftOfMonth})),
    notified = CASE WHEN x.period > l.period_start_ms THEN 0 ELSE l.notified END,
    period_start_ms = greatest(l.period_start_ms, x.period),
    allowance = x.allowance,
    day = x.day,
    booked = CASE
      WHEN x.period > l.period_start_ms OR x.day <> l.day
        THEN coalesce(x.items::jsonb, jsonb_build_object(x.api, jsonb_build_array(x.calls, x.credits)))
      WHEN x.items IS NOT NULL THEN add_usage(l.booked, x.items::jsonb)
      ELSE l.booked || jsonb_build_object(x.api, jsonb_build_array(
        coalesce((l.booked -> x.api ->> 0)::bigint, 0) + x.calls, coalesce((l.booked -> x.api ->> 1)::bigint, 0) + x.credits))
    END
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::bigint[],
      $10::float8[])
    WITH ORDINALITY AS x (id, credits, allowance, period, api, calls, items, day, revision, deadline, number)
  WHERE l.account_id = x.id AND l.closed_ms IS NULL AND (x.revision IS NULL OR l.revision = x.revision)
    AND (x.deadline IS NULL OR extract(epoch FROM statement_timestamp()) * 1000 < x.deadline)
    AND x.credits <= (${leftOfMonth}) + l.bonus
  RETURNING x.number::float8 AS number, l.used::float8 AS used, l.bonus::float8 AS bonus,
    l.period_start_ms::float8 AS "periodStartMs", extract(epoch FROM statement_timestamp())::float8 * 1000 AS "serverMs",
    $11::text AS batch`

const readStatement = `
  SELECT account_id AS "accountId", closed_ms IS NOT NULL AS closed, revision::float8 AS revision,
    period_start_ms::float8 AS "periodStartMs", used::float8 AS used, bonus::float8 AS bonus
  FROM ledger WHERE account_id = ANY ($1::text[])`

interface ChargeParts {
  readonly clock: Clock
  readonly serverClock: ServerClock
  readonly activity: StoreActivity
  /** A charge is decided within this time, or answered with 503 and never made. Milliseconds. */
  readonly limitMs: number
}

/** Prepares `charge` of the store on some connections that do nothing else. */
export function prepareCharges(
  connections: readonly Connection[],
  { clock, serverClock, activity, limitMs }: ChargeParts,
): (charges: readonly Charge[]) => Promise<readonly ChargeOutcome[]> {
  const statementLimitMs = statementLimitOf(limitMs)
  let batches = 0
  const lanes = createLanes<Pending>(connections.length, maxBatch, async (lane, pending) => {
    const connection = connections[lane]
    if (!connection) throw new Error("there is a connection for each lane")
    const nowMs = clock.monotonicMs()
    activity.batches++
    activity.charges += pending.length
    for (const { askedMs } of pending) activity.waitSeconds += (nowMs - askedMs) / 1_000
    try {
      await chargeAll(connection, pending)
    } catch (cause) {
      for (const one of pending) one.outcome ??= { charged: false, cause }
    }
  })

  /** Charges what fits, then looks at the rest and sends the part of it that would fit. */
  async function chargeAll(connection: Connection, pending: readonly Pending[]): Promise<void> {
    let groups = groupCharges(pending)
    for (let round = 0; groups.length > 0 && round < maxRounds; round++) {
      const [now, later] = splitByAccount(inTime(groups))
      const missing = now.length === 0 ? [] : await chargeGroups(connection, now)
      const again = missing.length === 0 ? [] : await chooseAgain(connection, missing, statementLimitMs)
      groups = [...again, ...later]
    }
    for (const one of pending) one.outcome ??= { charged: false, cause: tooLate() }
  }

  /** Says what the charge waited for, for the log. */
  function tooLate(): StoreUnavailable {
    const { waiting, lanesInUse } = lanes.load()
    return new StoreUnavailable(
      `The database did not charge within ${limitMs / 1_000} s. Nothing was charged. ` +
        `(${waiting} charges wait; ${lanesInUse} of ${connections.length} connections for charges are in use)`,
    )
  }

  /** Gives up the charges that the database would find too late: nothing is charged after its 503. */
  function inTime(groups: readonly ChargeGroup<Pending>[]): ChargeGroup<Pending>[] {
    const latestMs = clock.monotonicMs() + statementLimitMs
    const late = groups.flatMap(({ members }) => members.filter(({ deadlineMs }) => deadlineMs <= latestMs))
    if (late.length === 0) return [...groups]
    for (const one of late) one.outcome = { charged: false, cause: tooLate() }
    return groupCharges(groups.flatMap(({ members }) => members.filter((one) => one.outcome === null)))
  }

  /** Sends one group for each account. Gives those that were not charged. */
  async function chargeGroups(connection: Connection, groups: readonly ChargeGroup<Pending>[]) {
    const batch = String(++batches)
    const sentMs = clock.monotonicMs()
    const rows = await connection
      .run<ChargedRow>(chargeStatement, [...toColumns(groups), batch], statementLimitMs)
      .catch((cause: unknown) => {
        if (cause instanceof OutcomeUnknown) giveUp(groups, new ChargeUnknown(cause.message, { cause }))
        throw cause
      })
    const localMs = clock.monotonicMs()
    activity.roundTripSeconds += (localMs - sentMs) / 1_000
    const charged = new Set<ChargeGroup<Pending>>()
    for (const row of rows) {
      const group = groups[row.number - 1]
      if (row.batch !== batch || !group) throw new StoreUnavailable("The database answered another question.")
      serverClock.observe(row.serverMs, localMs)
      charged.add(group)
      const { used, bonus, periodStartMs } = row
      for (const one of group.members) one.outcome = { charged: true, used, bonus, periodStartMs }
    }
    return groups.filter((group) => !charged.has(group))
  }

  function toColumns(groups: readonly ChargeGroup<Pending>[]): string[] {
    const column = (pick: (group: ChargeGroup<Pending>) => string | number | null) =>
      toArray(groups.map(pick))
    const only = ({ items }: ChargeGroup<Pending>) => (items.length === 1 ? items[0] : undefined)
    return [
      column(({ charge }) => charge.accountId),
      column(({ credits }) => credits),
      column(({ charge }) => charge.allowance),
      column(({ charge }) => charge.periodStartMs),
      column((group) => only(group)?.api ?? null),
      column((group) => only(group)?.calls ?? null),
      column((group) => (only(group) ? null : toJson(group.items))),
      column(({ charge }) => charge.day),
      column(({ charge }) => charge.revision ?? null),
      column(({ members }) =>
        serverClock.at(Math.min(...members.map(({ deadlineMs }) => deadlineMs)) - statementLimitMs),
      ),
    ]
  }

  return async (charges) => {
    const askedMs = clock.monotonicMs()
    const deadlineMs = askedMs + limitMs
    const pending = charges.map(
      (charge): Pending => ({ accountId: charge.accountId, charge, askedMs, deadlineMs, outcome: null }),
    )
    await lanes.submit(pending)
    for (const { outcome } of pending) if (outcome === refused) activity.refusals++
    return pending.map(({ outcome }) => outcome ?? refused)
  }
}

function giveUp(groups: readonly ChargeGroup<Pending>[], cause: StoreUnavailable): void {
  for (const { members } of groups) for (const one of members) one.outcome = { charged: false, cause }
}

/** Reads the rows of groups that were not charged as a whole, and chooses in order what still fits. */
async function chooseAgain(
  connection: Connection,
  groups: readonly ChargeGroup<Pending>[],
  statementLimitMs: number,
): Promise<ChargeGroup<Pending>[]> {
  const ids = toArray(groups.map(({ charge }) => charge.accountId))
  const rows = await connection.run<LedgerRow>(readStatement, [ids], statementLimitMs)
  const byId = new Map(rows.map((row) => [row.accountId, row]))
  return groupCharges(
    groups.flatMap(({ charge, members }) => choose(members, charge, byId.get(charge.accountId))),
  )
}

/** The members to send again. The others get their outcome. */
function choose(
  members: readonly Pending[],
  { revision, allowance, periodStartMs }: Charge,
  row: LedgerRow | undefined,
) {
  const decide = (outcome: ChargeOutcome): Pending[] => {
    for (const one of members) one.outcome = outcome
    return []
  }
  if (!row || row.closed) return decide(refused)
  if (revision !== undefined && row.revision !== revision) return decide(changed)
  const used = periodStartMs > row.periodStartMs ? 0 : row.used
  const ofMonth = allowance === null ? Number.POSITIVE_INFINITY : Math.max(0, allowance - used)
  let left = ofMonth + row.bonus
  return members.filter((one) => {
    const credits = sumOf(one.charge.items)
    if (credits > left) {
      one.outcome = refused
      return false
    }
    left -= credits
    return true
  })
}

/** `{api: [calls, credits]}`. Not by assignment, since an API may be called like a property of every object. */
function toJson(items: ChargeGroup<Pending>["items"]): string {
  const parts = items.map(({ api, calls, credits }) => `${JSON.stringify(api)}:[${calls},${credits}]`)
  return `{${parts.join(",")}}`
}
