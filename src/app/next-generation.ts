import { type ConfigRefusal, ConfigRefused } from "../admin/config/config-control.ts"
import type { Guests } from "../call/guests.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import { ConfigError } from "../config/config-error.ts"
import type { Config } from "../config/load.ts"
import type { LeveledLog } from "../ports/log.ts"
import type { Generation, MakeGeneration } from "./generation.ts"
import type { LazyThreads } from "./lazy-threads.ts"
import {
  changeOfOwnApis,
  logRefused,
  type OwnApiVersions,
  requireNoLoss,
  type SharedApis,
} from "./own-apis.ts"
import { prepareApis } from "./prepare.ts"
import type { Taken } from "./sibling-config.ts"

/** A configuration that is checked and ready to be applied. */
export interface Prepared extends Taken {
  takeOver(): void
  /** Releases everything made for it. */
  drop(): void
}

/**
 * Makes everything that follows from a configuration, unless nothing has changed, here or in the files that the configuration
 * names. Its changes are those of own APIs alone.
 * @param apis for a worker: own APIs as all workers load them, when the supervisor has read them again
 * @throws ConfigError when the configuration cannot be used, and ConfigRefused for any other reason
 */
export type PrepareGeneration = (config: Config, isChanged: boolean, apis?: SharedApis) => Promise<Prepared>

interface NextGenerationParts {
  readonly log: Pick<LeveledLog, "info" | "error">
  /** The running configuration. */
  current(): Generation
  readonly ownVersions: OwnApiVersions
  readonly threads: LazyThreads
  /** Rejects with ConfigError when an account has a plan of the running configuration that this one lacks. */
  requireKnownPlans(config: Config): Promise<void>
  readonly makeGeneration: MakeGeneration
  /** What callers without a key may do. Their account is made when it is not there. */
  openGuests(config: Config, apis: readonly PreparedApi[]): Promise<Guests | null>
  /** Returns the function that lets the generation answer all requests that come from then on. */
  prepareApps(generation: Generation): () => void
  /** Called when a generation has taken over. */
  onTaken(generation: Generation): void
}

/** Returns the function that prepares a change of the running configuration. Nothing changes before `takeOver` is called. */
export function createNextGenerations(parts: NextGenerationParts): PrepareGeneration {
  const { log, current, ownVersions, threads, requireKnownPlans, makeGeneration, openGuests } = parts
  const { prepareApps, onTaken } = parts
  return async (config, isChanged, shared = { copy: current().ownApis.handedCopy, refused: null }) => {
    const before = current().ownApis
    const own = await ownVersions.load(config, shared, before)
    const hasNewApis = own !== before
    const refused = own.problems.map(({ name }) => name)
    if (!isChanged && !hasNewApis) return { changes: [], refused, takeOver() {}, drop() {} }
    function drop(): void {
      if (hasNewApis) own.end()
    }
    try {
      // A worker that follows another takes over what that one has checked, or it could not serve at all.
      if (shared.refused === null) {
        await orRefuse(async () => {
          requireNoLoss(before, own)
          await requireKnownPlans(config)
        })
      }
      const apis = await prepareApis(config, own.definitions, threads)
      const generation = makeGeneration(config, own, apis, await openGuests(config, apis))
      const swap = prepareApps(generation)
      return {
        changes: changeOfOwnApis(before, own),
        refused,
        takeOver() {
          swap()
          if (hasNewApis) {
            ownVersions.retire(before)
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

/** Turns a ConfigError into the refusal of a change of the configuration. */
export async function orRefuse<T>(work: () => Promise<T> | T, reason: ConfigRefusal = "state"): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    throw new ConfigRefused(`The configuration was not changed. ${thrown.message}`, reason)
  }
}
