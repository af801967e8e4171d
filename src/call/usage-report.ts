import { type Static, Type } from "@sinclair/typebox"
import { splitDeprecatedEntry } from "../accounts/deprecated-entry.ts"
import { nullable } from "../apis/contract.ts"
import { sumCredits, type UsageRow } from "../store/store.ts"
import { toIso } from "../values/time-text.ts"
import { type Caller, nothingCharged } from "./caller.ts"
import type { Pipeline, WorkResult } from "./pipeline.ts"

const instant = Type.String({ format: "date-time" })
const day = Type.String({ format: "date" })
const limit = nullable(Type.Integer({ minimum: 0 }), { description: "Null means unlimited." })
const count = (description: string) => Type.Integer({ minimum: 0, description })

/** The `data` of `GET /v1/usage`. */
export const usageSchema = Type.Object({
  account: Type.String(),
  plan: Type.String(),
  credits: Type.Object({
    allowance: limit,
    used: count("Used of this month's allowance."),
    bonus: count("Bonus credits left."),
    bonus_used: count("Bonus credits used this month."),
    remaining: limit,
  }),
  period_start: instant,
  renewal: instant,
  usage: Type.Array(
    Type.Object({
      day,
      api: Type.String(),
      calls: count("Successful calls on this day."),
      credits: count("Their cost."),
    }),
  ),
  deprecated: Type.Optional(
    Type.Array(
      Type.Object({
        day,
        api: Type.String(),
        part: Type.String({ description: "`api`, `parameter NAME`, or `field NAME` of a GraphQL query." }),
        calls: count("Successful calls on this day that used it."),
        notice: nullable(Type.String(), { description: "Since when, and what to use instead." }),
      }),
      { description: "Calls of this month that used something deprecated. Absent without any." },
    ),
  ),
})

/**
 * Reports the caller's plan, credits and renewal, and this month's usage. Costs nothing.
 * @param deprecations the sentence about each deprecated item, by usage entry
 */
export async function reportUsage(
  caller: Caller,
  { charges }: Pipeline,
  deprecations: ReadonlyMap<string, string>,
): Promise<WorkResult> {
  const { balance, rows } = await charges.report(caller)
  const { allowance, used, bonus, remaining, period } = balance
  const spent = sumCredits(rows)
  const data: Static<typeof usageSchema> = {
    account: caller.account.id,
    plan: caller.plan.name,
    // `bonus_used` is what this month's calls cost beyond its allowance.
    credits: { allowance, used, bonus, bonus_used: Math.max(0, spent - used), remaining },
    period_start: toIso(period.startMs),
    renewal: toIso(period.endMs),
    usage: rows
      .filter(({ api }) => splitDeprecatedEntry(api) === null)
      .map(({ day, api, calls, credits }) => ({ day, api, calls, credits })),
  }
  const deprecated = rows.flatMap((row) => toDeprecatedUse(row, deprecations))
  const all = deprecated.length > 0 ? { ...data, deprecated } : data
  return { data: all, charged: nothingCharged, fault: null }
}

/** Empty for an API's own usage. */
function toDeprecatedUse({ day, api: entry, calls }: UsageRow, deprecations: ReadonlyMap<string, string>) {
  const use = splitDeprecatedEntry(entry)
  if (use === null) return []
  // An item that is no longer in the catalog has no sentence.
  return [{ day, ...use, calls, notice: deprecations.get(entry) ?? null }]
}
