import { type Static, Type } from "@sinclair/typebox"
import { choice, nullable } from "../../apis/contract.ts"

/** One setting that differs between two configurations. */
export interface ConfigChange {
  /** Its name in the configuration file. */
  readonly setting: string
  /** The values, without secrets; null where it is not set. */
  readonly before: unknown
  readonly after: unknown
  /** Whether it takes effect only after a restart. */
  readonly needsRestart: boolean
}

/** The value of a setting in the configuration file; null takes it out of the file. */
export type SettingValue = string | number | boolean | readonly string[] | null

/** Values by the names of settings: `max_calls`, `credits.hmac`, `plans.free.premium`; `plans.NAME` for a whole plan. */
export type SettingValues = Readonly<Record<string, SettingValue>>

/** A change of the configuration file that is checked and not yet made. */
export interface ConfigEdit {
  readonly changes: readonly ConfigChange[]
  /** Whether the file's text changes. It can even if no setting does: a value that equals the default is written down. */
  readonly isNew: boolean
  /**
   * Writes the file and takes it over, or changes nothing. Other processes of the service follow.
   * @throws {ConfigRefused} when the file cannot be written, or was changed meanwhile
   */
  save(): Promise<readonly ConfigChange[]>
}

/** Reads the configuration of a service again, and takes it over. */
export interface ConfigControl {
  /** A number for the running text of the configuration file. Null where {@link ConfigControl.edit} is not possible. */
  version(): number | null
  /**
   * Compares what the configuration file says now with what runs. For a command on a store: with the defaults.
   * @throws {ConfigRefused}
   */
  diff(): Promise<readonly ConfigChange[]>
  /**
   * Takes over what the configuration file says now, or changes nothing. Other processes of the service follow.
   * @throws {ConfigRefused}
   */
  reload(): Promise<readonly ConfigChange[]>
  /**
   * Checks a change of some settings of the configuration file, as a reload does, without making it.
   * @throws {ConfigRefused}
   */
  edit(values: SettingValues): Promise<ConfigEdit>
}

/** `values`: the client's values cannot be used. `state`: the service cannot do it now. `outdated`: it was changed meanwhile. */
export type ConfigRefusal = "values" | "state" | "outdated"

/** A configuration that cannot be taken over; nothing was changed. The message says what to change. */
export class ConfigRefused extends Error {
  override readonly name = "ConfigRefused"
  readonly reason: ConfigRefusal
  constructor(message: string, reason: ConfigRefusal = "state") {
    super(message)
    this.reason = reason
  }
}

/** A setting of the running service. */
export const settingSchema = Type.Object({
  setting: Type.String({ description: "Its name in the configuration file." }),
  value: Type.Unknown({ description: "Its value, as the file has it; null if there is none." }),
  default: Type.String({ description: "What holds if it is not set, in words." }),
  source: Type.String({ description: "Where the value comes from: flag, environment, file or default." }),
  flag: Type.String({ description: "The flag that sets it." }),
  choices: nullable(Type.Array(Type.String()), {
    description:
      "All values that it may have, such as the names of the configured plans; null if there is no such list.",
  }),
  description: Type.String({ description: "What it is for." }),
  change: choice(["now", "reload", "restart"], {
    description:
      "When a change takes effect: `now` with `config.put`, after a `reload` by hand since it names a file, or after a `restart`.",
  }),
})
export type Setting = Static<typeof settingSchema>
