import { allOptions, type OptionKey } from "./options.ts"

/** Where a setting comes from. */
export type Origin = "flag" | "environment" | "file" | "default"

/** The sources of a configuration's settings. */
export interface SettingPlaces {
  readonly origins: Readonly<Record<OptionKey, Origin>>
  /** The name of the configuration file; null without one. */
  readonly file: string | null
}

/**
 * A setting in a message, as its operator wrote it: `--smtp`, `PENKNIFE_SMTP` or `'smtp' in p.toml`.
 * @param beside the setting whose source decides how this one is written, if this one has the default
 */
export function settingName({ origins, file }: SettingPlaces, key: OptionKey, beside: OptionKey = key) {
  const { flag, env, fileKey } = allOptions[key]
  const isGiven = origins[key] !== "default"
  const origin = isGiven ? origins[key] : origins[beside]
  if (origin === "file") return isGiven ? `'${fileKey}' in ${file}` : `'${fileKey}'`
  return origin === "environment" ? env : flag
}

/** A setting that names a file or a folder, with this name: `--logo a.svg` or `'logo' in p.toml: a.svg`. */
export function settingOfFile(places: SettingPlaces, key: OptionKey, path: string): string {
  const separator = { flag: " ", default: " ", environment: "=", file: ": " }[places.origins[key]]
  return settingName(places, key) + separator + path
}

/** A setting that cannot be used; the message names it and says what to change. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
}

/**
 * Runs all checks, also after one that fails.
 * @throws ConfigError with the mistakes of all, one a line
 */
export async function requireAll(checks: readonly (() => unknown)[]): Promise<void> {
  const mistakes: string[] = []
  for (const check of checks) {
    try {
      await check()
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown
      mistakes.push(thrown.message)
    }
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"))
}
