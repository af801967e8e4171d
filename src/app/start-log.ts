import { resolve } from "node:path"
import { missingPlan, type Plans, plansFromText, plansToText } from "../accounts/plan.ts"
import { recordTerms, type StatementParts } from "../admin/statements/plan-terms.ts"
import type { Config } from "../config/load.ts"
import { ConfigError, settingName } from "../config/setting-name.ts"
import type { Log } from "../ports/log.ts"
import type { AdminStore } from "../store/admin-reads.ts"
import { isPostgresUrl } from "../store/open.ts"
import { isLoopback } from "../values/ip.ts"
import { messageOf } from "../values/message-of.ts"
import { withoutPassword } from "../values/text.ts"

/** A new data file instead of the expected one tells an operator that the path is wrong. */
export function logNewDataFile(log: Log, { db }: Config): void {
  if (isPostgresUrl(db)) log.info("new tables", { database: withoutPassword(db) })
  else if (db !== ":memory:") log.info("new data file", { file: resolve(db) })
}

/** Metrics show how much a service is used, and by default every client may read them. */
export function logOpenMetrics(log: Log, { host, noMetrics, metricsToken }: Config): void {
  if (noMetrics || metricsToken !== null || isLoopback(host)) return
  log.warn("metrics are readable by everyone", {
    host,
    advice: "Set --metrics-token, better as PENKNIFE_METRICS_TOKEN, or turn them off with --no-metrics.",
  })
}

/** Warns an operator whose customers are meant to sign up, but get no mail. */
export function logNoMail(log: Log, config: Config): void {
  const problem = signUpWithoutMail(config)
  if (problem !== null) log.warn("sign-up needs mail", { problem })
}

/** The problem of sign-up without a mail server, with the change that helps; null if there is none. */
export function signUpWithoutMail(config: Config): string | null {
  const { signUpMode, smtp } = config
  if (signUpMode === "off" || smtp !== null) return null
  const mode = `${settingName(config, "signUpMode")} is ${signUpMode}`
  const change = `Set ${settingName(config, "smtp", "signUpMode")} and ${settingName(config, "mailFrom", "signUpMode")}`
  if (signUpMode === "open")
    return `${mode}, but without a mail server nobody can sign up by themselves. ${change}.`
  return `${mode}, but without a mail server invitations are not sent. ${change}, or hand over the links of 'penknife invite'.`
}

/**
 * Logs where the admin API is, unless it is served with the APIs on loopback. Several processes log it once, before they
 * listen.
 * @param url where it listens, once that is known
 */
export function logAdminPlace(log: Log, { admin, host, port }: Config, url: string | null = null): void {
  if (admin === "off") log.info("admin API is off", {})
  else if (admin !== "same") log.info("admin API is served", { at: url ?? `${admin.host}:${admin.port}` })
  else if (!isLoopback(host)) log.info("admin API is served", { at: url ?? `${host}:${port}` })
}

/** Tells an operator that the data file was lost or not flushed, or is back. */
export function logDataFile(log: Log, problem: string | null): void {
  if (problem === null) log.info("data file is back; calls are served again", {})
  else log.error("data file unusable; calls are refused", { cause: problem })
}

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
