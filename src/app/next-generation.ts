import type { Config } from "../config/load.ts"
import type { LeveledLog } from "../ports/log.ts"
import type { FolderCopy } from "../values/folder-copy.ts"
import { orRefuse } from "./config-refusal.ts"
import type { Generation, MakeGeneration } from "./generation.ts"
import type { HotConfigParts } from "./hot-config.ts"
import { changeOfOwnApis, logRefused, type OwnApis, requireNoLoss } from "./own-apis.ts"
import { prepareApis } from "./prepare.ts"

interface NextGenerationParts {
  readonly log: Pick<LeveledLog, "info" | "error">
  /** What the service runs with now. */
  current(): Generation
  /** Loads the own APIs of a configuration; gives `before` where nothing has changed. */
  loadOwnApis(config: Config, copy: FolderCopy | null, before: OwnApis): Promise<OwnApis>
  /** Rejects with ConfigError when an account has a plan that the configuration lacks. */
  requireKnownPlans(config: Config): Promise<void>
  readonly makeGeneration: MakeGeneration
  /** Gives the function that lets the generation answer all requests that come from then on. */
  prepareApps(generation: Generation): () => void
  /** Called when a generation has taken over. */
  onTaken(generation: Generation): void
}

/**
 * Gives what prepares the change of a running service to another configuration. Nothing changes before `takeOver` is called on
 * what it gives.
 */
export function createNextGenerations(parts: NextGenerationParts): HotConfigParts["prepare"] {
  const { log, current, loadOwnApis, requireKnownPlans, makeGeneration, prepareApps, onTaken } = parts
  return async (config, isChanged, copy = current().ownApis.handedCopy) => {
    const before = current().ownApis
    const own = await loadOwnApis(config, copy, before)
    const hasNewApis = own !== before
    const refused = own.problems.map(({ name }) => name)
    if (!isChanged && !hasNewApis) return { changes: [], refused, takeOver() {}, drop() {} }
    function drop(): void {
      if (hasNewApis) own.end()
    }
    try {
      await orRefuse(async () => {
        requireNoLoss(before, own)
        await requireKnownPlans(config)
      })
      const generation = makeGeneration(config, own, await prepareApis(config, own.definitions))
      const swap = prepareApps(generation)
      return {
        changes: changeOfOwnApis(before, own),
        refused,
        takeOver() {
          swap()
          if (hasNewApis) {
            before.retire()
            logRefused(own, log)
            log.info("own APIs loaded again", { apis: own.definitions.map(({ id }) => id) })
          }
          onTaken(generation)
        },
        drop,
      }
    } catch (thrown) {
      drop()
      throw thrown
    }
  }
}
