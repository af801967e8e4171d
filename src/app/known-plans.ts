import { missingPlan, type Plans, plansFromText, plansToText } from "../accounts/plan.ts"
import { recordTerms, type StatementParts } from "../admin/statements/plan-terms.ts"
import type { Config } from "../config/load.ts"
import { ConfigError } from "../config/setting-name.ts"
import type { Log } from "../ports/log.ts"
import type { AdminStore } from "../store/admin-reads.ts"
import { messageOf } from "../values/message-of.ts"
import { withoutPassword } from "../values/text.ts"

/** The name of the plans among the settings that a store keeps. */
const plansSetting = "plans"

/**
 * Keeps the plans of a service in its store: for commands on the store that have no configuration file, and for statements of
 * months in which they were others. Never rejects.
 */
export async function keepPlans(parts: StatementParts, log: Log): Promise<void> {
  const { admin, plans } = parts
  const text = plansToText(plans)
  try {
    if ((await admin.findSetting(plansSetting)) !== text) await admin.keepSetting(plansSetting, text)
    await recordTerms(parts)
  } catch (cause) {
    log.warn("the plans were not kept for commands and statements", { cause: messageOf(cause) })
  }
}

/** The plans of the last service that worked on a store; null if there was none. */
export async function keptPlans(admin: Pick<AdminStore, "findSetting">): Promise<Plans | null> {
  const text = await admin.findSetting(plansSetting)
  return text === null ? null : plansFromText(text)
}

/** The most accounts that a message names. */
const maxNamed = 10

/**
 * The open accounts whose plan a configuration lacks, as a text for the operator; null if there are none. Their calls are a 500.
 * @param before looks only for plans that this configuration has
 */
export async function accountsWithoutPlan(
  admin: Pick<AdminStore, "accounts" | "planNames" | "plansInUse">,
  { plans, db }: Pick<Config, "plans" | "db">,
  before: Plans | null = null,
): Promise<string | null> {
  const isMissing = (plan: string) => !plans.has(plan) && (before?.has(plan) ?? true)
  if (!(await admin.planNames()).some(isMissing)) return null
  const missing = (await admin.plansInUse()).filter(({ plan }) => isMissing(plan))
  if (missing.length === 0) return null
  const named: string[] = []
  for (const { plan } of missing) {
    const limit = maxNamed - named.length
    if (limit === 0) break
    const accounts = await admin.accounts({ plan, closed: false }, { limit, after: null })
    named.push(...accounts.map(missingPlan))
  }
  const others = missing.reduce((sum, { accounts }) => sum + accounts, 0) - named.length
  return [
    ...named,
    ...(others > 0 ? [`${others} other accounts have a plan that is missing.`] : []),
    `The accounts are in ${withoutPassword(db)}.`,
  ].join(named.length > 1 ? "\n" : " ")
}

/**
 * Logs the accounts whose plan is missing. A service starts all the same: the others must not stop because of them, such as when
 * an instance is restarted before its file has a plan that another one has.
 */
export async function logMissingPlans(
  log: Log,
  admin: Parameters<typeof accountsWithoutPlan>[0],
  config: Config,
): Promise<void> {
  const problem = await accountsWithoutPlan(admin, config)
  if (problem !== null) log.warn("plans are missing", { problem })
}

/** Throws ConfigError if open accounts have a plan that a change of the configuration would remove. */
export async function requireKnownPlans(
  admin: Parameters<typeof accountsWithoutPlan>[0],
  next: Config,
  before: Config,
): Promise<void> {
  const problem = await accountsWithoutPlan(admin, next, before.plans)
  if (problem !== null) throw new ConfigError(problem)
}
