import { isDeepStrictEqual } from "node:util"
import type { ConfigChange } from "../admin/config/config-control.ts"
import { createCatalog } from "../apis/catalog.ts"
import type { Clock, Timer } from "../apis/contract.ts"
import { ConfigError } from "../config/config-error.ts"
import type { Config } from "../config/load.ts"
import { options } from "../config/options.ts"
import type * as CopyFolder from "../plugins/copy-folder.ts"
import type { Plugins } from "../plugins/load-plugins.ts"
import type { MemoryWatch } from "../plugins/memory-watch.ts"
import { PluginRefused } from "../plugins/plugin-refused.ts"
import { systemClock } from "../ports/clock.ts"
import type { Log } from "../ports/log.ts"
import { collectGarbage, readMemoryUse } from "../ports/machine.ts"
import { keepAliveTimer } from "../ports/timer.ts"
import type { FolderCopy, OwnedCopy } from "../values/folder-copy.ts"

/** The operator's own APIs under a configuration. */
export interface OwnApis extends Plugins {
  /** Equal for equal files and settings. */
  readonly fingerprint: string
  /** The copy that all workers load; null where this process made its own. */
  readonly handedCopy: FolderCopy | null
}

interface OwnApisParts {
  readonly clock: Clock
  readonly timer: Timer
  readonly log: Pick<Log, "error" | "debug">
  /** Ids of the catalog. */
  readonly taken: readonly string[]
}

/** Own APIs as all workers of a service load them. */
export interface SharedApis {
  /** See {@link OwnApis.handedCopy}. */
  readonly copy: FolderCopy | null
  /** Folders that the running workers refused; null for the first worker that tries them. */
  readonly refused: readonly string[] | null
}

/** The own APIs of a process. */
export interface OwnApiVersions {
  /**
   * Loads the APIs of `--apis`. An API with a mistake is not served.
   * @param shared for a worker
   * @param before those that are served now: they stay when nothing has changed
   * @throws ConfigError when the folder cannot be read
   */
  load(config: Config, shared?: SharedApis, before?: OwnApis): Promise<OwnApis>
  /** Ends a version that is no longer served, when its calls have ended. */
  retire(version: OwnApis): void
}

/** The longest time from the arrival of a call to its end, in which it uses the APIs with which it began. */
const retireMs = 120_000
/** Versions that are kept for calls that began with them. */
const maxRetired = 2
/** The longest that a reload waits for calls of older versions: the longest `--api-timeout`. */
const maxWaitMs = 60_000
const waitMs = 20
/**
 * A version of nine APIs leaves some 2.5 MB behind in this thread. The runtime lets 60 MB and more gather before it collects
 * them.
 */
const maxLeftBytes = 16_777_216

const noOwnApis: OwnApis = {
  definitions: [],
  problems: [],
  loaded: [],
  fingerprint: "",
  handedCopy: null,
  retire() {},
  isQuiet: () => true,
  end() {},
}

/** Makes the loader of a process, which also ends older versions. */
export function createOwnApiVersions({ clock, timer, log, taken }: OwnApisParts): OwnApiVersions {
  /** With functions that cancel the end that is due. */
  const retired = new Map<OwnApis, () => void>()
  let memory: MemoryWatch | null = null
  /** Memory of this thread's values after the last collection. */
  let usedBytes = process.memoryUsage().heapUsed

  function end(version: OwnApis): void {
    retired.get(version)?.()
    retired.delete(version)
    version.end()
  }

  /** Waits until one more version can be retired. */
  async function makeRoom(): Promise<void> {
    const excess = Math.max(0, retired.size + 1 - maxRetired)
    for (const oldest of [...retired.keys()].slice(0, excess)) {
      for (let waitedMs = 0; !oldest.isQuiet() && waitedMs < maxWaitMs; waitedMs += waitMs)
        await new Promise<void>((resolve) => timer.after(waitMs, resolve))
      end(oldest)
    }
  }

  /** Frees the memory of older versions, before threads of a new one take more. */
  function collectOlder(): void {
    if (process.memoryUsage().heapUsed < usedBytes + maxLeftBytes) return
    collectGarbage()
    usedBytes = process.memoryUsage().heapUsed
  }

  return {
    async load(config, { copy: handed, refused } = { copy: null, refused: null }, before = noOwnApis) {
      const { apis, apiTimeoutSeconds, apiWorkers, apiMemoryBytes } = config
      if (apis === null) return noOwnApis
      const copy = await makeCopy(({ copyFolder, linkCopy }) =>
        handed ? linkCopy(handed) : copyFolder(apis),
      )
      const fingerprint = [apiTimeoutSeconds, apiWorkers, apiMemoryBytes, copy.fingerprint].join(" ")
      const isSame = fingerprint === before.fingerprint
      if (isSame && before.problems.length === 0) {
        copy.remove()
        return before
      }
      await makeRoom()
      collectOlder()
      // Loaded only here: a service without them starts faster.
      const { loadPlugins } = await import("../plugins/load-plugins.ts")
      memory ??= await watchMemory(timer)
      const found = await loadPlugins(
        { directory: apis, copy },
        {
          ...{ taken, clock, timer, memory },
          limitMs: apiTimeoutSeconds * 1_000,
          maxWorkers: apiWorkers,
          maxMemoryBytes: apiMemoryBytes,
          onRest: (api, cause) => log.error("API paused after several faults in a row", { api, cause }),
          onUncaught: (api, cause) => log.error("API failed outside of a call", { api, cause }),
          // It may hold what a client sent, so it is written only when the operator asks for it.
          onSaid: (api, text) => log.debug("API wrote to the console", { api, text }),
        },
        before.loaded,
      )
      const loaded = { ...found, ...(refused && servedElsewhere(found, refused)) }
      // Refused APIs are tried again: the cause may be outside the folder.
      if (isSame && isDeepStrictEqual(loaded.problems, before.problems)) {
        found.end()
        return before
      }
      return { ...loaded, fingerprint, handedCopy: handed }
    },
    retire(version) {
      if (version === noOwnApis) return
      version.retire()
      retired.set(
        version,
        timer.after(retireMs, () => end(version)),
      )
    },
  }
}

const mustNotDepend =
  "what it does when it is loaded must not depend on time, chance or other programs. Mend it, and"

/**
 * Keeps only APIs that the other workers serve: otherwise an API would answer some calls and not others.
 * @throws ConfigError when it cannot serve what the others do
 */
function servedElsewhere(
  { definitions, problems, end }: Plugins,
  refusedElsewhere: readonly string[],
): Pick<OwnApis, "definitions" | "problems"> {
  const lost = problems.find(({ name }) => !refusedElsewhere.includes(name))
  if (lost) {
    end()
    throw new ConfigError(
      `--apis: The API '${lost.name}' can be used in another worker and not in this one: ${mustNotDepend} start again. ${lost.problem}`,
    )
  }
  const problem = `It cannot be used in another worker: ${mustNotDepend} reload.`
  return {
    definitions: definitions.filter(({ id }) => !refusedElsewhere.includes(id)),
    problems: refusedElsewhere.map(
      (name) => problems.find((refused) => refused.name === name) ?? { name, problem },
    ),
  }
}

/**
 * Copies the folder of `--apis` for several workers; null without one.
 * @throws ConfigError
 */
async function copyOwnApis({ apis }: Config): Promise<OwnedCopy | null> {
  return apis === null ? null : makeCopy(({ copyFolder }) => copyFolder(apis))
}

async function makeCopy(make: (module: typeof CopyFolder) => Promise<OwnedCopy>): Promise<OwnedCopy> {
  try {
    // Loaded only here, as above.
    return await make(await import("../plugins/copy-folder.ts"))
  } catch (thrown) {
    if (thrown instanceof PluginRefused) throw new ConfigError(`--apis: ${thrown.message}`)
    throw thrown
  }
}

/** Null on a system that does not say what memory threads take. */
async function watchMemory(timer: Timer): Promise<MemoryWatch | null> {
  const { createMemoryWatch } = await import("../plugins/memory-watch.ts")
  const use = readMemoryUse()
  return use && createMemoryWatch(use, timer)
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

/** The changes of own APIs by a reload, for its answer. */
export function changeOfOwnApis(before: OwnApis, next: OwnApis): readonly ConfigChange[] {
  const [old, now] = [shown(before), shown(next)]
  return old === now ? [] : [{ setting: "own APIs", before: old, after: now, needsRestart: false }]
}

function shown({ definitions, problems, fingerprint }: OwnApis): string | null {
  if (fingerprint === "") return null
  const names = [
    ...definitions.map(({ id }) => id),
    ...problems.map(({ name }) => `${name}: not served, see the log`),
  ]
  return `${names.join(", ")} (${fingerprint.split(" ").at(-1)?.slice(0, 8)})`
}

const catalogIds = () => createCatalog().map(({ id }) => id)

/** For `penknife api`. Loaded only there. */
export const ownApiFolders = {
  async writeNew(directory: string, name: string) {
    const { writeNewPlugin } = await import("../plugins/new-plugin.ts")
    return writeNewPlugin(directory, name, new Set(catalogIds()))
  },
  async check(directory: string) {
    const [{ copyFolder }, { loadPlugins }] = await Promise.all([
      import("../plugins/copy-folder.ts"),
      import("../plugins/load-plugins.ts"),
    ])
    const copy = await copyFolder(directory)
    const { definitions, problems, end } = await loadPlugins(
      { directory, copy },
      {
        taken: catalogIds(),
        clock: systemClock,
        timer: keepAliveTimer,
        memory: await watchMemory(keepAliveTimer),
        limitMs: options.apiTimeoutSeconds.default * 1_000,
        maxWorkers: options.apiWorkers.default,
        maxMemoryBytes: options.apiMemoryBytes.default,
        onRest() {},
        onUncaught() {},
        onSaid() {},
      },
    )
    end()
    return { usable: definitions.map(({ id, examples }) => ({ id, examples: examples.length })), problems }
  },
  copy: copyOwnApis,
}
