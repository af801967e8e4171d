import { nothingCharged } from "./call-record.ts"
import type { CallerRequest } from "./caller.ts"
import { answer, type Pipeline, type Reply } from "./pipeline.ts"

/**
 * Answers `GET /v1/usage`: the caller's plan, credits and renewal, and this month's usage. Costs nothing.
 * @param check throws what is wrong with the request; called once the caller is admitted
 */
export function answerUsage(request: CallerRequest, check: () => void, pipeline: Pipeline): Promise<Reply> {
  return answer(request, [], pipeline, async (caller) => {
    check()
    const { balance, rows } = await pipeline.charges.report(caller)
    const { allowance, used, bonus, remaining, period } = balance
    const spent = rows.reduce((sum, { credits }) => sum + credits, 0)
    const data = {
      account: caller.account.id,
      plan: caller.plan.name,
      // `bonus_used` is what this month's calls cost beyond its allowance.
      credits: { allowance, used, bonus, bonus_used: Math.max(0, spent - used), remaining },
      period_start: new Date(period.startMs).toISOString(),
      renewal: new Date(period.endMs).toISOString(),
      usage: rows.map(({ day, api, calls, credits }) => ({ day, api, calls, credits })),
    }
    return { data, charged: nothingCharged, fault: null }
  })
}
