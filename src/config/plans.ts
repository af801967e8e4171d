import { type Static, type TInteger, type TSchema, Type } from "@sinclair/typebox"
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value"
import {
  blankPlan,
  defaultPlans,
  maxCallsPerMinute,
  maxCredits,
  maxPortalKeys,
  type Plans,
  portalActions,
} from "../accounts/plan.ts"
import { toRequirement } from "../call/requirement.ts"
import { isObject } from "../values/is-object.ts"
import { nearestFirst } from "../values/nearest.ts"
import { ConfigError } from "./setting-name.ts"

/** Text to show, without control characters. */
const line = (maxLength: number) =>
  Type.String({
    ...{ minLength: 1, maxLength, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$" },
    "x-requirement": `must be one line of 1 to ${maxLength} characters, without control characters`,
  })

const credits = Type.Integer({ minimum: 0, maximum: maxCredits })

/** `[plans.NAME]` of the configuration file. */
const planTable = Type.Object(
  {
    monthly_credits: optionalLimit(credits),
    sign_up_bonus: Type.Optional(credits),
    requests_per_minute: optionalLimit(Type.Integer({ minimum: 1, maximum: maxCallsPerMinute })),
    premium: Type.Optional(Type.Boolean()),
    graphql_apis: optionalLimit(Type.Integer({ minimum: 1 })),
    portal_keys: Type.Optional(Type.Integer({ minimum: 0, maximum: maxPortalKeys })),
    portal: Type.Optional(
      Type.Array(Type.Union(portalActions.map((action) => Type.Literal(action))), { uniqueItems: true }),
    ),
    price: Type.Optional(line(60)),
    description: Type.Optional(line(300)),
    highlight: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
const nameRule = "a plan's name has small letters, digits, '-' and '_', and begins with a letter"
const planName = /^[a-z][a-z0-9_-]*$/
export const plansTable = Type.Record(Type.String({ pattern: planName.source }), planTable, {
  additionalProperties: false,
})

/** At most as for own APIs: the sums of many calls fit the columns of every store. */
const price = Type.Integer({ minimum: 0, maximum: 1_000_000_000 })
/** `[credits]` of the configuration file: credits per call by API id. */
const creditsTable = Type.Record(Type.String(), price)

/** The default plans, with the changes and additions of the file's `[plans]`. */
export function readPlans(value: unknown, file: string): Plans {
  const plans = new Map(defaultPlans.map((plan) => [plan.name, plan]))
  for (const [name, table] of Object.entries(requireShape(plansTable, value ?? {}, "plans", file))) {
    const base = plans.get(name) ?? blankPlan
    plans.set(name, {
      name,
      monthlyCredits: toLimit(table.monthly_credits, base.monthlyCredits),
      signUpBonus: table.sign_up_bonus ?? base.signUpBonus,
      requestsPerMinute: toLimit(table.requests_per_minute, base.requestsPerMinute),
      premium: table.premium ?? base.premium,
      graphqlApis: toLimit(table.graphql_apis, base.graphqlApis),
      portalKeys: table.portal_keys ?? base.portalKeys,
      portal: table.portal ?? base.portal,
      price: table.price ?? base.price,
      description: table.description ?? base.description,
      highlight: table.highlight ?? base.highlight,
    })
  }
  return plans
}

/** The prices in the file's `[credits]`: credits per call by API id. */
export function readCredits(value: unknown, file: string): ReadonlyMap<string, number> {
  return new Map(Object.entries(requireShape(creditsTable, value ?? {}, "credits", file)))
}

/** The default plans, and blank ones of the names in `[plans]`: other settings can name them, although a table has a mistake. */
export function plansOfNames(value: unknown): Plans {
  const names = isObject(value) ? Object.keys(value).filter((name) => planName.test(name)) : []
  const blank = names.map((name) => [name, { name, ...blankPlan }] as const)
  return new Map([...blank, ...defaultPlans.map((plan) => [plan.name, plan] as const)])
}

/** The prices in `[credits]` that have no mistake. */
export function pricesThatFit(value: unknown): ReadonlyMap<string, number> {
  const prices = isObject(value) ? Object.entries(value) : []
  return new Map(prices.flatMap(([id, given]) => (Value.Check(price, given) ? [[id, given]] : [])))
}

function optionalLimit(number: TInteger) {
  const requirement = { "x-requirement": `${toRequirement(number)}, or 'unlimited'` }
  return Type.Optional(Type.Union([number, Type.Literal("unlimited")], requirement))
}

function toLimit(value: number | "unlimited" | undefined, otherwise: number | null): number | null {
  return value === "unlimited" ? null : (value ?? otherwise)
}

function requireShape<T extends TSchema>(schema: T, value: unknown, table: string, file: string): Static<T> {
  if (Value.Check(schema, value)) return value
  const messages = new Map<string, string>()
  for (const error of Value.Errors(schema, value)) {
    if (!messages.has(error.path)) messages.set(error.path, toMessage(error, table, file))
  }
  throw new ConfigError([...messages.values()].join("\n"))
}

function toMessage(error: ValueError, table: string, file: string): string {
  const { type, path, schema } = error
  const where = `'${table}${path.replaceAll("/", ".")}' in ${file}`
  if (type === ValueErrorType.ObjectAdditionalProperties && schema.properties) {
    const key = path.slice(path.lastIndexOf("/") + 1)
    const known = nearestFirst(key, Object.keys(schema.properties))
    return `${where} is not a setting. The settings there are ${known.join(", ")}.`
  }
  if (type === ValueErrorType.ObjectAdditionalProperties) return `${where} cannot be used: ${nameRule}.`
  const isTwice = type === ValueErrorType.ArrayUniqueItems
  return `${where} cannot be used: it ${isTwice ? "must have no item twice" : toRequirement(schema)}.`
}
