import { type Static, type TSchema, Type } from "@sinclair/typebox"
import { Value, type ValueError } from "@sinclair/typebox/value"
import { maxCallsPerMinute, maxCredits, type Plan, type Plans } from "../accounts/plan.ts"
import { ConfigError } from "./config-error.ts"

const credits = Type.Integer({ minimum: 0, maximum: maxCredits })
const amount = Type.Union([credits, Type.Literal("unlimited")])

/** `[plans.NAME]` of the configuration file. */
const planTable = Type.Object(
  {
    monthly_credits: Type.Optional(amount),
    sign_up_bonus: Type.Optional(credits),
    requests_per_minute: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: maxCallsPerMinute }), Type.Literal("unlimited")]),
    ),
    premium: Type.Optional(Type.Boolean()),
    graphql_apis: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Literal("unlimited")])),
  },
  { additionalProperties: false },
)
const plansTable = Type.Record(Type.String({ pattern: "^[a-z][a-z0-9_-]*$" }), planTable, {
  additionalProperties: false,
})

/** `[credits]` of the configuration file: credits per call by API id. */
const creditsTable = Type.Record(Type.String(), credits)

/** What a plan of the file's own has where the file says nothing. */
const blankPlan: Omit<Plan, "name"> = {
  monthlyCredits: 0,
  signUpBonus: 0,
  requestsPerMinute: null,
  premium: true,
  graphqlApis: 10,
}

/** The default plans with the file's changes and additions. */
export function readPlans(value: unknown, defaults: readonly Plan[], file: string): Plans {
  const plans = new Map(defaults.map((plan) => [plan.name, plan]))
  const tables = requireShape(plansTable, value ?? {}, "plans", file)
  for (const [name, table] of Object.entries(tables)) {
    plans.set(name, mergePlan(name, plans.get(name) ?? blankPlan, table))
  }
  return plans
}

export function readCredits(value: unknown, file: string): ReadonlyMap<string, number> {
  return new Map(Object.entries(requireShape(creditsTable, value ?? {}, "credits", file)))
}

function mergePlan(name: string, base: Omit<Plan, "name">, table: Static<typeof planTable>): Plan {
  return {
    name,
    monthlyCredits: limitOf(table.monthly_credits, base.monthlyCredits),
    signUpBonus: table.sign_up_bonus ?? base.signUpBonus,
    requestsPerMinute: limitOf(table.requests_per_minute, base.requestsPerMinute),
    premium: table.premium ?? base.premium,
    graphqlApis: limitOf(table.graphql_apis, base.graphqlApis),
  }
}

function limitOf(value: number | "unlimited" | undefined, otherwise: number | null): number | null {
  if (value === undefined) return otherwise
  return value === "unlimited" ? null : value
}

function requireShape<T extends TSchema>(schema: T, value: unknown, table: string, file: string): Static<T> {
  if (Value.Check(schema, value)) return value
  const error = Value.Errors(schema, value).First()
  const where = `${table}${(error?.path ?? "").replaceAll("/", ".")}`
  throw new ConfigError(`'${where}' in ${file} cannot be used: ${error ? toText(error) : "wrong type"}.`)
}

/** Of a value that may be one of several things, what was expected of each. */
function toText({ message, errors }: ValueError): string {
  const alternatives = errors.flatMap((each) => each.First() ?? [])
  return alternatives.length > 0 ? alternatives.map(toText).join(", or ") : message.toLowerCase()
}
