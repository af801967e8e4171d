import { Type } from "@sinclair/typebox"
import { defaultPlans, describePlan, type Plan, portalActions } from "../../accounts/plan.ts"
import { nullableText } from "../../apis/contract.ts"
import { listOf } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { wholeList } from "../pages.ts"

const limit = (description: string) =>
  Type.Unsafe<number | "unlimited">({
    anyOf: [{ type: "integer", minimum: 0 }, { const: "unlimited" }],
    description,
  })

const planSchema = Type.Object({
  name: Type.String({ description: "The plan's name." }),
  monthly_credits: limit("Credits of a month."),
  sign_up_bonus: Type.Integer({ description: "Bonus credits of a new account." }),
  requests_per_minute: limit("Calls a minute."),
  premium: Type.Boolean({ description: "Whether answers have premium fields." }),
  graphql_apis: limit("Different APIs in one GraphQL query."),
  portal_keys: Type.Integer({
    description: "The most keys an account may have before its customers cannot create more.",
  }),
  portal: Type.Array(Type.String(), {
    description: `What customers may change in the portal: ${portalActions.join(", ")}.`,
  }),
  price: nullableText("What customers pay, as text to show; null if none is shown."),
  description: nullableText("For whom the plan is; null without it."),
  highlight: Type.Boolean({ description: "Whether the landing page recommends it." }),
  is_built_in: Type.Boolean({ description: "Whether the program has it without a configuration file." }),
})

export const listPlans = defineRead({
  id: "plans.list",
  title: "List plans and prices",
  description: "Lists the configured plans, and the price of a call of each API.",
  permission: "plans.read",
  path: "/plans",
  command: { words: "plan list", example: "", empty: "No plans." },
  input: Type.Object({}),
  output: Type.Object({
    ...listOf(planSchema).properties,
    prices: Type.Record(Type.String(), Type.Integer(), { description: "Credits of a call, by API." }),
  }),
  async read(_, { plans, prices }) {
    return { ...wholeList([...plans.values()].map(toOutput)), prices: Object.fromEntries(prices) }
  },
})

function toOutput(plan: Plan) {
  return {
    name: plan.name,
    ...describePlan(plan),
    is_built_in: defaultPlans.some(({ name }) => name === plan.name),
  }
}
