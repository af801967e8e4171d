import { type ConfigChange, type ConfigControl, ConfigRefused } from "../admin/config/config-control.ts"
import { changesBetween, keepUntilRestart } from "../config/changes.ts"
import { ConfigError } from "../config/config-error.ts"
import type { ConfigSource } from "../config/file.ts"
import type { Config } from "../config/load.ts"
import type { Channel } from "../observe/siblings.ts"
import type { Log } from "../ports/log.ts"
import { createTurns } from "../values/turns.ts"
import { prepareEdit, versionOf } from "./config-edit.ts"
import { orRefuse, type Prepared, type PrepareGeneration } from "./next-generation.ts"
import type { SharedApis } from "./own-apis.ts"
import { joinConfig, type Taken } from "./sibling-config.ts"

/** The configuration of a service, which can change while it runs. */
export interface HotConfig extends ConfigControl {
  /** Reloads for SIGHUP: mistakes are logged. */
  reloadLogged(): Promise<void>
  /** The version of the present configuration file; null if there is none or it cannot be read. */
  versionOnDisk(): number | null
}

interface HotConfigParts {
  readonly running: Config
  readonly source: ConfigSource | null
  readonly log: Log
  /** To the supervisor, when this is one of several workers: it tells them one after another to take over what it read. */
  readonly channel: Channel | null
  /** Called when a change was taken over. */
  onTaken(): void
  readonly prepare: PrepareGeneration
}

/** A change of the configuration. Its parts are left out where this process reads them itself. */
interface Change {
  /** The text of the configuration file; null without one. */
  readonly text?: string | null
  readonly apis?: SharedApis
  /** For a new text: the one that runs, and that the file must have. Null to leave the file alone. */
  readonly expected?: string | null
}

const outdated = "The configuration was not changed. Read it again: it was changed meanwhile."

const notHere = "This service cannot read its configuration again: restart it."

/** Makes the configuration of one process changeable. Changes are made one after the other. */
export function createHotConfig(parts: HotConfigParts): HotConfig {
  const { source, log, channel, prepare, onTaken } = parts
  let { running } = parts
  const inTurn = createTurns()

  const compare = (next: Config): readonly ConfigChange[] => changesBetween(running, next)

  async function prepareNext(next: Config, apis?: SharedApis): Promise<Prepared> {
    const changes = compare(next)
    const taken = changes.filter(({ needsRestart }) => !needsRestart).map(({ setting }) => setting)
    const waiting = changes.filter(({ needsRestart }) => needsRestart).map(({ setting }) => setting)
    const config = keepUntilRestart(running, next)
    const prepared = await prepare(config, taken.length > 0, apis)
    return {
      changes: [...changes, ...prepared.changes],
      refused: prepared.refused,
      drop: () => prepared.drop(),
      takeOver() {
        prepared.takeOver()
        running = config
        if (taken.length > 0) {
          log.info("configuration changed", { settings: taken })
          onTaken()
        }
        if (waiting.length > 0) log.warn("settings changed that need a restart", { settings: waiting })
      },
    }
  }

  /** First every step that can fail, then the change. The file is read at its turn, so that its last change counts. */
  function change({ text, apis, expected = null }: Change = {}): Promise<Taken> {
    return inTurn(() =>
      orRefuse(async () => {
        if (source === null) throw new ConfigError(notHere)
        if (expected !== null && running.fileText !== expected) throw new ConfigRefused(outdated, "outdated")
        const { changes, refused, drop, takeOver } = await prepareNext(
          source.read(text === undefined ? source.readText() : text),
          apis,
        )
        try {
          if (expected !== null) source.replaceText(expected, text ?? "")
        } catch (thrown) {
          drop()
          throw thrown
        }
        takeOver()
        return { changes, refused }
      }),
    )
  }

  const askSupervisor =
    channel &&
    source &&
    joinConfig(channel, ({ text, apis, refused }, expected) =>
      change({ text, apis: { copy: apis, refused }, expected }),
    )

  /**
   * The running configuration and the text of its file. Another worker may just have replaced the file: this one follows before
   * they are compared, and again when yet another text is there then. A text that stays was changed by hand.
   */
  async function settle(): Promise<{ readonly running: Config; readonly text: string | null }> {
    for (let before: string | null = null; ; ) {
      const text = source?.readText() ?? null
      if (askSupervisor === null || text === running.fileText || text === before) return { running, text }
      await askSupervisor({ kind: "settle" })
      before = text
    }
  }

  const control: HotConfig = {
    version: () => versionOf(running),
    edit: async (values) =>
      prepareEdit(values, {
        ...(await orRefuse(settle)),
        source,
        prepareNext,
        replace: async (expected, text) =>
          askSupervisor?.({ kind: "replace", expected, text }) ?? (await change({ text, expected })).changes,
      }),
    diff: () =>
      orRefuse(() => {
        if (source === null) throw new ConfigError(notHere)
        return compare(source.read(source.readText()))
      }),
    reload: async () => askSupervisor?.({ kind: "reload" }) ?? (await change()).changes,
    versionOnDisk() {
      try {
        return versionOf({ fileText: source?.readText() ?? null })
      } catch (thrown) {
        if (!(thrown instanceof ConfigError)) throw thrown
        return null
      }
    },
    async reloadLogged() {
      try {
        await control.reload()
      } catch (thrown) {
        if (!(thrown instanceof ConfigRefused)) throw thrown
        log.error("configuration not changed; the old one stays", { cause: thrown.message })
      }
    },
  }
  return control
}
