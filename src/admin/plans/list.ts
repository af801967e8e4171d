import { Type } from "@sinclair/typebox"
import type { Plan } from "../../accounts/plan.ts"
import { listOf } from "../fields.ts"
import { defineOperation } from "../operation.ts"

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
})

export const listPlans = defineOperation({
  id: "plans.list",
  title: "List plans and prices",
  description: "Lists the configured plans, and the price of a call of each API.",
  permission: "plans.read",
  method: "GET",
  path: "/plans",
  command: { words: "plan list", example: "", empty: "No plans." },
  input: Type.Object({}),
  output: Type.Object({
    ...listOf(planSchema).properties,
    prices: Type.Record(Type.String(), Type.Integer(), { description: "Credits of a call, by API." }),
  }),
  example: {},
  run: {
    kind: "read",
    async read(_, { plans, prices }) {
      return {
        data: [...plans.values()].map(toOutput),
        has_more: false,
        next: null,
        prices: Object.fromEntries(prices),
      }
    },
  },
})

function toOutput({ name, monthlyCredits, signUpBonus, requestsPerMinute, premium, graphqlApis }: Plan) {
  return {
    name,
    monthly_credits: monthlyCredits ?? ("unlimited" as const),
    sign_up_bonus: signUpBonus,
    requests_per_minute: requestsPerMinute ?? ("unlimited" as const),
    premium,
    graphql_apis: graphqlApis ?? ("unlimited" as const),
  }
}
