import { resolve } from "node:path"
import type { Config } from "../config/load.ts"
import { settingName } from "../config/setting-name.ts"
import type { Log } from "../ports/log.ts"
import { isPostgresUrl } from "../store/open.ts"
import { isLoopback } from "../values/ip.ts"
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
