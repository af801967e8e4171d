import { AlreadyCharged, type Charge, type ChargeOutcome, sumCredits } from "../store.ts"
import { findFirstCharges } from "./call-replays.ts"
import { type ChargeGroup, groupCharges } from "./charge-groups.ts"
import { type Connection, toArray } from "./connection.ts"

/** Charges that were asked for together. */
export interface ChargeRequest {
  /** Monotonic times. */
  readonly askedMs: number
  readonly deadlineMs: number
  decide(pending: Pending, outcome: ChargeOutcome): void
}

export interface Pending {
  readonly accountId: string
  readonly charge: Charge
  /** Its place in the request. */
  readonly index: number
  readonly request: ChargeRequest
  isDecided: boolean
}

/** The outcome of a charge that the credits do not cover, or whose account is closed. */
export const refused: ChargeOutcome = { charged: false }
const changed: ChargeOutcome = { charged: false, cause: "changed" }

/** Sets the outcome of the charges that have none. */
export function decideAll(pending: readonly Pending[], outcome: ChargeOutcome): void {
  for (const one of pending) {
    if (one.isDecided) continue
    one.isDecided = true
    one.request.decide(one, outcome)
  }
}

interface LedgerRow {
  readonly accountId: string
  readonly closed: boolean
  readonly revision: number
  readonly periodStartMs: number
  readonly used: number
  readonly bonus: number
}

const readStatement = `
  SELECT account_id AS "accountId", closed_ms IS NOT NULL AS closed, revision::float8 AS revision,
    period_start_ms::float8 AS "periodStartMs", used::float8 AS used, bonus::float8 AS bonus
  FROM ledger WHERE account_id = ANY ($1::text[])`

/** Reads the rows of groups that were not charged as a whole, and chooses in order the members that still fit. */
export async function chooseAgain(
  connection: Connection,
  groups: readonly ChargeGroup<Pending>[],
  statementLimitMs: number,
): Promise<ChargeGroup<Pending>[]> {
  const ids = toArray(groups.map(({ charge }) => charge.accountId))
  const rows = await connection.run<LedgerRow>(readStatement, [ids], statementLimitMs)
  const byId = new Map(rows.map((row) => [row.accountId, row]))
  const idempotent = groups.filter(({ isIdempotent }) => isIdempotent).flatMap(({ members }) => members)
  const firstChargeOf = await findFirstCharges(connection, idempotent, statementLimitMs)
  for (const one of idempotent) {
    const first = firstChargeOf(one.charge)
    if (first) decideAll([one], { charged: false, cause: new AlreadyCharged(first) })
  }
  return groupCharges(
    groups.flatMap(({ charge, members }) =>
      choose(
        members.filter(({ isDecided }) => !isDecided),
        charge,
        byId.get(charge.accountId),
      ),
    ),
  )
}

/** The members to send again. The others get their outcome. */
function choose(
  members: readonly Pending[],
  { revision, allowance, periodStartMs }: Charge,
  row: LedgerRow | undefined,
) {
  const end = (outcome: ChargeOutcome): Pending[] => {
    decideAll(members, outcome)
    return []
  }
  if (!row || row.closed) return end(refused)
  if (revision !== undefined && row.revision !== revision) return end(changed)
  const used = periodStartMs > row.periodStartMs ? 0 : row.used
  const ofMonth = allowance === null ? Number.POSITIVE_INFINITY : Math.max(0, allowance - used)
  let left = ofMonth + row.bonus
  return members.filter((one) => {
    const credits = sumCredits(one.charge.items)
    if (credits > left) {
      decideAll([one], refused)
      return false
    }
    left -= credits
    return true
  })
}
