/** One setting that differs between two configurations. */
export interface ConfigChange {
  /** Its name in the configuration file. */
  readonly setting: string
  /** The values, without secrets; null where it is not set. */
  readonly before: unknown
  readonly after: unknown
  /** Whether a service takes it over only when it is started again. */
  readonly needsRestart: boolean
}

/** Reads the configuration of a service again, and takes it over. */
export interface ConfigControl {
  /**
   * Compares what the configuration file says now with what runs. For a command on a store: with the defaults.
   * @throws {ConfigRefused}
   */
  diff(): Promise<readonly ConfigChange[]>
  /**
   * Takes over what the configuration file says now, in every process of the service or in none.
   * @throws {ConfigRefused}
   */
  reload(): Promise<readonly ConfigChange[]>
}

/** A configuration that cannot be taken over; nothing was changed. The message says what to change. */
export class ConfigRefused extends Error {
  override readonly name = "ConfigRefused"
}
