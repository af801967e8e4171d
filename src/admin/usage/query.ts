import { type Static, Type } from "@sinclair/typebox"
import { splitDeprecatedEntry } from "../../accounts/deprecated-entry.ts"
import { choice } from "../../apis/contract.ts"
import type { UsageColumn, UsageQuery, UsageSum } from "../../store/usage-types.ts"
import { dayMs, parseInstant, toDay } from "../../values/time-text.ts"
import { invalid } from "../fault.ts"
import {
  accountId,
  keyId,
  listOf,
  optionalFlag,
  optionalText,
  pageParameters,
  requireOrder,
} from "../fields.ts"
import { requireOwner } from "../keys/key.ts"
import { defineRead } from "../operation.ts"
import { readPlacedPage } from "../pages.ts"
import type { AdminParts } from "../parts.ts"

const columns = ["day", "account", "key", "api"] as const

/** More days would lead before the first date of JavaScript. */
const maxDays = 36_500

const sumSchema = Type.Object({
  day: optionalText("The UTC day, `2027-01-31`; or the month, `2027-01`, of usage that is kept by month."),
  account: optionalText("The account's id."),
  key: optionalText("The key's id; empty for what was recorded before keys were."),
  api: optionalText("The API's id."),
  deprecated: optionalText("What was used of it: `api`, `parameter NAME` or `field NAME`."),
  calls: Type.Integer({ description: "Successful calls." }),
  credits: Type.Optional(
    Type.Integer({ description: "Credits that they were charged; absent with `deprecated`." }),
  ),
})

const input = Type.Object({
  account: Type.Optional({ ...accountId, description: "Only the usage of this account." }),
  key: Type.Optional({ ...keyId, description: "Only the usage of this key." }),
  api: optionalText("Only the usage of this API.", { minLength: 1, maxLength: 100 }),
  deprecated: optionalFlag(
    "Only calls that use something deprecated: an API, a parameter, or a field that a GraphQL query names. By `account`, `key` and `api` by default.",
  ),
  from: day("The first UTC day, such as 2027-01-01; the first of a month where usage is kept by month."),
  to: day("The last UTC day; today by default."),
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxDays,
      description: "How many days, the last one included, instead of `from`; 31 by default.",
    }),
  ),
  by: Type.Optional(
    Type.Array(choice(columns, { description: "A column." }), {
      maxItems: columns.length,
      uniqueItems: true,
      description:
        "The columns of the sums: `day`, `account`, `key`, `api`; `day` and `api` by default. With `key`, the account is shown too.",
      "x-requirement": "must be some of day, account, key, api, each at most once",
    }),
  ),
  ...pageParameters,
})

export const queryUsage = defineRead({
  id: "usage.query",
  title: "Query usage",
  description:
    "Sums up what was charged, by account, key, newest day first, and API. Usage older than `--keep-usage` is that of whole months. A page can have fewer entries than asked for, or none, and `has_more` all the same: it ends when many accounts were looked at.",
  permission: "usage.read",
  path: "/usage",
  command: {
    words: "usage",
    args: ["account"],
    example: "acc_1234567890abcdef --days 7",
    empty: "No usage in these days.",
    columns: ["day", "account", "key", "api", "deprecated", "calls", "credits"],
  },
  portal: { account: "account", key: "key" },
  input,
  output: listOf(sumSchema),
  example: { from: "2027-01-01", to: "2027-01-31", by: ["account"] },
  async read(given, context) {
    const monthsUntil = await context.admin.usageMonthsUntil()
    const query = await toQuery(given, context)
    requireWholeMonths(query, given, monthsUntil)
    return readPlacedPage(
      // Sums by other columns have another order, and those of a day are not those of its month.
      `usage by ${[...query.by].sort().join(" ")} from ${monthsUntil}`,
      given,
      async (page) => {
        const { sums, next } = await context.admin.usage(query, page)
        return { rows: sums, next }
      },
      (sum) => toOutput(sum, query),
    )
  },
})

async function toQuery(given: Static<typeof input>, context: AdminParts): Promise<UsageQuery> {
  const { account, api, key, deprecated } = given
  const asked: readonly UsageColumn[] = given.by ?? (deprecated ? ["account", "key", "api"] : ["day", "api"])
  const withAccount =
    asked.includes("key") && !asked.includes("account") ? [...asked, "account" as const] : asked
  // One call may use several deprecated things, so their calls are not added up.
  const by = deprecated && !withAccount.includes("api") ? [...withAccount, "api" as const] : withAccount
  const owner = await requireOwner(account, key, context)
  return {
    ...toDays(given, context),
    accountIds: owner === undefined ? undefined : [owner],
    keyId: key,
    api,
    deprecated,
    by,
  }
}

function toDays(
  { from, to, days }: Pick<Static<typeof input>, "from" | "to" | "days">,
  { clock }: AdminParts,
): { readonly fromDay: string; readonly toDay: string } {
  if (from !== undefined && days !== undefined) throw invalid("days", "Give 'from' or 'days', not both.")
  const toMs = to === undefined ? clock.now() : requireDay(to, "to")
  const fromMs = from === undefined ? toMs - ((days ?? 31) - 1) * dayMs : requireDay(from, "from")
  requireOrder(fromMs, toMs)
  return { fromDay: toDay(fromMs), toDay: toDay(toMs) }
}

/**
 * Usage of a month that is kept as a whole cannot be divided by days.
 * @throws AdminFault when the query asks for a part of such a month
 */
function requireWholeMonths(
  { fromDay, toDay: lastDay }: UsageQuery,
  { from, days }: Pick<Static<typeof input>, "from" | "days">,
  monthsUntil: string | null,
): void {
  if (monthsUntil === null || fromDay >= monthsUntil) return
  const kept = `Usage before ${monthsUntil} is kept by month`
  if (!fromDay.endsWith("-01")) {
    const month = fromDay.slice(0, 8)
    const parameter = from === undefined && days !== undefined ? "days" : "from"
    throw invalid(
      parameter,
      `${kept}: the 'from' parameter must be the first day of a month, such as ${month}01, or ${monthsUntil} or later.`,
    )
  }
  const nextDay = toDay(requireDay(lastDay, "to") + dayMs)
  if (lastDay < monthsUntil && !nextDay.endsWith("-01"))
    throw invalid("to", `${kept}: the 'to' parameter must be the last day of a month, or later.`)
}

function requireDay(text: string, parameter: string): number {
  const ms = text.length === 10 ? parseInstant(text) : null
  if (ms !== null) return ms
  throw invalid(parameter, `The '${parameter}' parameter must be a day such as 2027-01-31.`)
}

function toOutput({ calls, credits, ...names }: UsageSum, { by, deprecated = false }: UsageQuery) {
  const shown = Object.fromEntries(
    columns.filter((name) => by.includes(name)).map((name) => [name, names[name]]),
  )
  const use = deprecated ? splitDeprecatedEntry(names.api) : null
  return use ? { ...shown, api: use.api, deprecated: use.part, calls } : { ...shown, calls, credits }
}

function day(description: string) {
  return optionalText(description, { maxLength: 40, "x-requirement": "must be a day such as 2027-01-31" })
}
