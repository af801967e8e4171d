import { type ConfigRefusal, ConfigRefused } from "../admin/config/config-control.ts"
import type { Guests } from "../call/guests.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import { ConfigError } from "../config/config-error.ts"
import type { Config } from "../config/load.ts"
import type { Generation, MakeGeneration } from "./generation.ts"

/**
 * Makes everything that follows from a configuration. Returns the function that takes it over, which cannot fail.
 * @throws ConfigError when the configuration cannot be used, and ConfigRefused for any other reason
 */
export type PrepareGeneration = (config: Config) => Promise<() => void>

interface NextGenerationParts {
  /** The APIs under a configuration. */
  prepareApis(config: Config): Promise<readonly PreparedApi[]>
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

/** Returns the function that prepares a change of the running configuration. */
export function createNextGenerations(parts: NextGenerationParts): PrepareGeneration {
  const { prepareApis, requireKnownPlans, makeGeneration, openGuests, prepareApps, onTaken } = parts
  return async (config) => {
    await orRefuse(() => requireKnownPlans(config))
    const apis = await prepareApis(config)
    const generation = makeGeneration(config, apis, await openGuests(config, apis))
    const swap = prepareApps(generation)
    return () => {
      swap()
      onTaken(generation)
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
