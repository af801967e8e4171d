import { type Balance, balanceOf } from "../accounts/credits.ts"
import type { Period } from "../accounts/period.ts"
import type { Plan } from "../accounts/plan.ts"
import type { KeyAccess } from "../store/store.ts"
import { monthHeaders, type StandingHeaders } from "./standing.ts"

/**
 * What this process knows of an account: what the database last said, and what calls under way hold of it. One for all
 * keys of the account.
 */
export interface Known {
  readonly id: string
  /** Of the administration's changes, the last that is in here. */
  revision: number
  createdMs: number
  periodStartMs: number
  used: number
  bonus: number
  /** Credits that calls under way hold. */
  held: number
  /** The present month, and what its headers say under a plan; kept from call to call. */
  period: Period | null
  plan: Plan | null
  headers: StandingHeaders | null
  /** Start of a month in the future that the log has been told of. */
  reportedMs: number | null
  /** Whether it had to make room: another may be in its place. */
  isForgotten: boolean
}

/** Accounts kept in memory at most; one that holds nothing goes first. */
const maxKnown = 50_000

export interface KnownAccounts {
  /** What is known of an account, of which `record` was read at `revision`. */
  find(record: KeyAccess["account"], revision: number): Known
}

export function createKnownAccounts(): KnownAccounts {
  const accounts = new Map<string, Known>()
  return {
    find(record, revision) {
      const known = accounts.get(record.id)
      if (!known) {
        if (accounts.size >= maxKnown) forgetIdle(accounts)
        const fresh = toKnown(record, revision)
        accounts.set(record.id, fresh)
        return fresh
      }
      // An administrator has changed something since: what came with the key was read after that.
      if (known.revision < revision) {
        known.revision = revision
        correct(known, record)
      }
      return known
    },
  }
}

/** Puts what the database says in place of what is known. Calls under way go on holding what they hold. */
export function correct(known: Known, { createdMs, periodStartMs, used, bonus }: KeyAccess["account"]): void {
  known.createdMs = createdMs
  known.periodStartMs = periodStartMs
  known.used = used
  known.bonus = bonus
}

/** The balance under a plan, as last heard of. */
export function balanceNow(known: Known, plan: Plan, nowMs: number): Balance {
  const balance = balanceOf(known, plan, nowMs, known.period)
  if (balance.period !== known.period) {
    known.period = balance.period
    known.headers = null
  }
  return balance
}

/** The headers of the month: the same object until the month or the plan is another. */
export function headersOf(known: Known, balance: Balance, plan: Plan): StandingHeaders {
  if (known.headers === null || known.plan !== plan) {
    known.plan = plan
    known.headers = monthHeaders(balance, plan)
  }
  return known.headers
}

function toKnown(
  { id, createdMs, periodStartMs, used, bonus }: KeyAccess["account"],
  revision: number,
): Known {
  return {
    id,
    revision,
    createdMs,
    periodStartMs,
    used,
    bonus,
    held: 0,
    period: null,
    plan: null,
    headers: null,
    reportedMs: null,
    isForgotten: false,
  }
}

function forgetIdle(accounts: Map<string, Known>): void {
  for (const [id, known] of accounts) {
    if (known.held > 0) continue
    accounts.delete(id)
    known.isForgotten = true
    return
  }
}
