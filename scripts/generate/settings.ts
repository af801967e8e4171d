import { defaultPlans } from "../../src/accounts/plan.ts"
import type { Option } from "../../src/config/define-option.ts"
import { toTable } from "./table.ts"

/**
 * One line for each setting. The page says how the environment variable is made from the flag.
 * @param others the settings of `serve`, whose page has the meaning of those with the same one
 * @throws Error for a variable that is made in another way
 */
export function settingsTable(
  settings: readonly Option<unknown>[],
  others: readonly Option<unknown>[] = [],
): string {
  const isKnown = ({ flag, help }: Option<unknown>) =>
    others.some((other) => other.flag === flag && other.help === help)
  for (const { flag, env } of settings)
    if (env !== `PENKNIFE_${flag.slice(2).replaceAll("-", "_").toUpperCase()}`)
      throw new Error(`${env} is not ${flag}.`)
  return toTable(
    ["flag", "in the file", "default", "meaning"],
    settings.map((setting) => [
      `\`${setting.flag}${setting.value === null ? "" : ` ${setting.value}`}\``,
      `\`${setting.fileKey}\``,
      setting.defaultText,
      isKnown(setting)
        ? "as for `serve`"
        : setting.read.choices
          ? `${setting.help} (${setting.read.choices.join(", ")})`
          : setting.help,
    ]),
  )
}

/** The plans without a configuration file. */
export const planTable = (): string =>
  toTable(
    [
      ...["plan", "credits a month", "bonus at sign-up", "calls a minute"],
      ...["premium fields", "APIs in a GraphQL query"],
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

const toText = (amount: number | null, none = ""): string =>
  amount === null ? none : amount.toLocaleString("en-US")
