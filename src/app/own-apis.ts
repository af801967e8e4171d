import { createCatalog } from "../apis/catalog.ts"
import type { ApiDefinition, Ports, Timer } from "../apis/contract.ts"
import type { Config } from "../config/load.ts"
import { options } from "../config/options.ts"
import { ConfigError } from "../config/setting-name.ts"
import type { CallLimits, PluginOptions, Plugins } from "../plugins/load-plugins.ts"
import type { MemoryWatch } from "../plugins/memory-watch.ts"
import { PluginRefused } from "../plugins/plugin-refused.ts"
import { createThreadTime, type ThreadTime } from "../plugins/thread-time.ts"
import { systemClock } from "../ports/clock.ts"
import type { Log } from "../ports/log.ts"
import { readMemoryUse } from "../ports/machine.ts"
import { keepAliveTimer } from "../ports/timer.ts"

/** The operator's own APIs, as they were at the start. */
export interface OwnApis extends Pick<Plugins, "problems" | "end"> {
  /** The APIs that are served, with the limits of a configuration. */
  definitions(config: Config): readonly ApiDefinition[]
}

interface OwnApisParts extends Pick<Ports, "clock" | "timer"> {
  readonly time: ThreadTime
  readonly log: Pick<Log, "error" | "debug">
  /** Ids of the catalog. */
  readonly taken: readonly string[]
}

const noOwnApis: OwnApis = { definitions: () => [], problems: [], end() {} }

/**
 * Loads the APIs of `--apis`. An API with a mistake is not served, which is logged.
 * @throws ConfigError when the folder cannot be read
 */
export async function loadOwnApis(config: Config, { log, ...parts }: OwnApisParts): Promise<OwnApis> {
  if (config.apis === null) return noOwnApis
  const { definitions, problems, end } = await loadFolder(config.apis, {
    ...parts,
    limits: limitsOf(config),
    onRest: (api, cause) => log.error("API paused after several faults in a row", { api, cause }),
    onUncaught: (api, cause) => log.error("API failed outside of a call", { api, cause }),
    // It may hold what a client sent, so it is written only when the operator asks for it.
    onSaid: (api, text) => log.debug("API wrote to the console", { api, text }),
  }).catch((thrown) => {
    if (thrown instanceof PluginRefused) throw new ConfigError(`--apis: ${thrown.message}`)
    throw thrown
  })
  for (const { name, problem } of problems) log.error("API not served", { folder: name, problem })
  return { definitions: (current) => definitions(limitsOf(current)), problems, end }
}

function limitsOf({ apiTimeoutSeconds, apiWorkers, apiMemoryBytes }: Config): CallLimits {
  return { limitMs: apiTimeoutSeconds * 1_000, maxWorkers: apiWorkers, maxMemoryBytes: apiMemoryBytes }
}

async function loadFolder(directory: string, parts: Omit<PluginOptions, "memory">): Promise<Plugins> {
  // Loaded only here: a service without own APIs starts faster.
  const { loadPlugins } = await import("../plugins/load-plugins.ts")
  return loadPlugins(directory, { ...parts, memory: await watchMemory(parts.timer) })
}

/** Null on a system that does not say what memory threads take. */
async function watchMemory(timer: Timer): Promise<MemoryWatch | null> {
  const { createMemoryWatch } = await import("../plugins/memory-watch.ts")
  const use = readMemoryUse()
  return use && createMemoryWatch(use, timer)
}

const catalogIds = () => createCatalog().map(({ id }) => id)

/** For `penknife api`. Loaded only there. */
export const ownApiFolders = {
  async writeNew(directory: string, name: string) {
    const { writeNewPlugin } = await import("../plugins/new-plugin.ts")
    return writeNewPlugin(directory, name, new Set(catalogIds()))
  },
  async check(directory: string) {
    const limits: CallLimits = {
      limitMs: options.apiTimeoutSeconds.default * 1_000,
      maxWorkers: options.apiWorkers.default,
      maxMemoryBytes: options.apiMemoryBytes.default,
    }
    const { definitions, problems, end } = await loadFolder(directory, {
      ...{
        taken: catalogIds(),
        clock: systemClock,
        timer: keepAliveTimer,
        time: createThreadTime(systemClock),
        limits,
      },
      onRest() {},
      onUncaught() {},
      onSaid() {},
    })
    end()
    const usable = definitions(limits).map(({ id, examples }) => ({ id, examples: examples.length }))
    return { usable, problems }
  },
}
