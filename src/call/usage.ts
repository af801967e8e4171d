import { nothingCharged } from "./call-record.ts"
import type { Caller, CallerRequest } from "./caller.ts"
import type { Charges } from "./charges.ts"
import { answer, type Pipeline, type Reply } from "./pipeline.ts"

/**
 * Answers `GET /v1/usage`: the caller's plan, credits and renewal, and what this month was used for. Costs nothing.
 * @param check throws what is wrong with the request; called once the caller is admitted
 */
export function answerUsage(request: CallerRequest, check: () => void, pipeline: Pipeline): Promise<Reply> {
  return answer(request, [], pipeline, async (caller) => {
    check()
    return { data: await usageOf(caller, pipeline.charges), charged: nothingCharged, fault: null }
  })
}

async function usageOf(caller: Caller, charges: Charges): Promise<Record<string, unknown>> {
  const { balance, rows } = await charges.report(caller)
  const spent = rows.reduce((sum, { credits }) => sum + credits, 0)
  return {
    account: caller.account.id,
    plan: caller.plan.name,
    credits: {
      allowance: balance.allowance,
      used: balance.used,
      bonus: balance.bonus,
      // What this month's calls have cost beyond its allowance.
      bonus_used: Math.max(0, spent - balance.used),
      remaining: balance.remaining,
    },
    period_start: new Date(balance.period.startMs).toISOString(),
    renewal: new Date(balance.period.endMs).toISOString(),
    usage: rows.map(({ day, api, calls, credits }) => ({ day, api, calls, credits })),
  }
}
