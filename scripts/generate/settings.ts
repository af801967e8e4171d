import { defaultPlans } from "../../src/accounts/plan.ts"
import type { Option } from "../../src/config/define-option.ts"
import { toTable } from "./table.ts"

export function settingsTable(settings: readonly Option<unknown>[]): string {
  return toTable(
    ["flag", "environment", "in the file", "default", "meaning"],
    settings.map((setting) => [
      `\`${setting.flag}${setting.value === null ? "" : ` ${setting.value}`}\``,
      `\`${setting.env}\``,
      `\`${setting.fileKey}\``,
      setting.defaultText,
      setting.read.choices ? `${setting.help} (${setting.read.choices.join(", ")})` : setting.help,
    ]),
  )
}

/** The plans without a configuration file. */
export function planTable(): string {
  return toTable(
    [
      "plan",
      "credits a month",
      "bonus at sign-up",
      "calls a minute",
      "premium fields",
      "APIs in a GraphQL query",
    ],
    defaultPlans.map((plan) => [
      plan.name,
      toText(plan.monthlyCredits, "unlimited"),
      toText(plan.signUpBonus),
      toText(plan.requestsPerMinute, "not throttled"),
      plan.premium ? "yes" : "no",
      toText(plan.graphqlApis, "unlimited"),
    ]),
  )
}

function toText(amount: number | null, none = ""): string {
  return amount === null ? none : amount.toLocaleString("en-US")
}
