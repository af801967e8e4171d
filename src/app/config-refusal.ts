import { type ConfigRefusal, ConfigRefused } from "../admin/config/control.ts"
import { ConfigError } from "../config/config-error.ts"

/** Turns a ConfigError into the refusal of a change of the configuration. */
export async function orRefuse<T>(work: () => Promise<T> | T, reason: ConfigRefusal = "state"): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    throw new ConfigRefused(`The configuration was not changed. ${thrown.message}`, reason)
  }
}
