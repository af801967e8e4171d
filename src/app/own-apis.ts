import { createCatalog } from "../apis/catalog.ts"
import type { ApiDefinition, Clock, Timer } from "../apis/contract.ts"
import { ConfigError } from "../config/config-error.ts"
import type { Config } from "../config/load.ts"
import { PluginRefused } from "../plugins/errors.ts"
import type { PluginProblem, Plugins } from "../plugins/load-plugins.ts"
import { systemClock } from "../ports/clock.ts"
import type { Log } from "../ports/log.ts"
import { keepAliveTimer } from "../ports/timer.ts"

/** The operator's own APIs under a configuration. */
export interface OwnApis {
  readonly definitions: readonly ApiDefinition[]
  /** The APIs that were refused, with what to change. */
  readonly problems: readonly PluginProblem[]
  /** The same for the same files and settings. */
  readonly fingerprint: string
  /** Ends what runs them, at once. */
  end(): void
  /** Ends it when the calls in progress have surely ended. */
  retire(): void
}

interface OwnApisParts {
  readonly clock: Clock
  readonly timer: Timer
  readonly log: Pick<Log, "error">
  /** Ids of the catalog. */
  readonly taken: readonly string[]
}

export const noOwnApis: OwnApis = {
  definitions: [],
  problems: [],
  fingerprint: "",
  end() {},
  retire() {},
}

/**
 * Loads the APIs of `--apis`. What is wrong with one of them keeps that one from being served.
 * @param before those that are served now: they stay when nothing has changed
 * @throws ConfigError when the folder cannot be read
 */
export async function loadOwnApis(
  { apis, apiTimeoutSeconds, apiWorkers }: Config,
  { clock, timer, log, taken }: OwnApisParts,
  before: OwnApis = noOwnApis,
): Promise<OwnApis> {
  if (apis === null) return noOwnApis
  // Loaded only here: a service without them starts faster.
  const { loadPlugins } = await import("../plugins/load-plugins.ts")
  let loaded: Plugins
  try {
    loaded = await loadPlugins(apis, {
      ...{ taken, clock, timer },
      limitMs: apiTimeoutSeconds * 1_000,
      maxWorkers: apiWorkers,
      onRest: (api, cause) => log.error("API rests after several faults in a row", { api, cause }),
    })
  } catch (thrown) {
    if (thrown instanceof PluginRefused) throw new ConfigError(`--apis: ${thrown.message}`)
    throw thrown
  }
  const fingerprint = [apis, apiTimeoutSeconds, apiWorkers, loaded.fingerprint].join(" ")
  if (fingerprint !== before.fingerprint) return { ...loaded, fingerprint }
  loaded.end()
  return before
}

/** Logs the APIs that are not served. */
export function logRefused({ problems }: OwnApis, log: Pick<Log, "error">): void {
  for (const { name, problem } of problems) log.error("API not served", { folder: name, problem })
}

/**
 * While a service runs, an API that is served is never lost to a mistake in its new version.
 * @throws ConfigError that says what to change
 */
export function requireNoLoss(before: OwnApis, next: OwnApis): void {
  const served = before.definitions.map(({ id }) => id)
  const lost = next.problems.filter(({ name }) => served.includes(name))
  if (lost.length > 0) throw new ConfigError(lost.map(({ problem }) => problem).join("\n"))
}

/** For `penknife api`. Loaded only there. */
export const ownApiFolders = {
  async writeNew(directory: string, name: string) {
    const { writeNewPlugin } = await import("../plugins/new-plugin.ts")
    return writeNewPlugin(directory, name)
  },
  async check(directory: string) {
    const { loadPlugins } = await import("../plugins/load-plugins.ts")
    const { definitions, problems, end } = await loadPlugins(directory, {
      taken: createCatalog().map(({ id }) => id),
      clock: systemClock,
      timer: keepAliveTimer,
      limitMs: 10_000,
      maxWorkers: 2,
      onRest() {},
    })
    end()
    return { usable: definitions.map(({ id, examples }) => ({ id, examples: examples.length })), problems }
  },
}
