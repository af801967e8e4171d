import type { Caller } from "./caller.ts"
import { type Asking, fail, logFault, type Reply, type Road, succeed } from "./execute.ts"
import { toFault } from "./fault.ts"
import { noStanding, unknownCaller } from "./standing.ts"

export interface UsageCall extends Asking {
  /** Throws what is wrong with the request, once the caller is known. */
  check(): void
}

/** Answers `GET /v1/usage`: the caller's plan, credits and renewal, and what this month was used for. Costs nothing. */
export async function reportUsage(call: UsageCall, road: Road): Promise<Reply> {
  let caller: Caller | null = null
  let rate = noStanding
  try {
    caller = await road.gate.identify(call.key)
    road.gate.requireAddress(caller, call.address)
    rate = await road.gate.requireRate(caller)
    call.check()
    return succeed(await usageOf(caller, road), road.charges.standing(caller, rate), caller)
  } catch (thrown) {
    const fault = toFault(thrown)
    logFault(fault, call.requestId, road.log)
    return fail(fault, caller ? road.charges.standing(caller, rate) : unknownCaller, caller)
  }
}

async function usageOf(caller: Caller, { charges }: Road): Promise<Record<string, unknown>> {
  const { balance, rows } = await charges.report(caller)
  const spent = rows.reduce((sum, { credits }) => sum + credits, 0)
  return {
    account: caller.account.id,
    plan: caller.plan.name,
    credits: {
      allowance: balance.allowance,
      used: balance.used,
      bonus: balance.bonus,
      // What the rows of this month have cost beyond its allowance.
      bonus_used: Math.max(0, spent - balance.used),
      remaining: balance.remaining,
    },
    period_start: new Date(balance.period.startMs).toISOString(),
    renewal: new Date(balance.period.endMs).toISOString(),
    usage: rows.map(({ day, api, calls, credits }) => ({ day, api, calls, credits })),
  }
}
