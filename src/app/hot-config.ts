import { type ConfigChange, type ConfigControl, ConfigRefused } from "../admin/config/control.ts"
import { changesBetween, keepUntilRestart } from "../config/changes.ts"
import { ConfigError } from "../config/config-error.ts"
import type { Config } from "../config/load.ts"
import type { ConfigSource } from "../config/source.ts"
import type { Channel } from "../observe/siblings.ts"
import type { Log } from "../ports/log.ts"
import type { FolderCopy } from "../values/folder-copy.ts"
import { createTurns } from "../values/turns.ts"
import { type EditParts, prepareEdit, versionOf } from "./config-edit.ts"
import { orRefuse } from "./config-refusal.ts"
import { joinConfig, type Prepared } from "./sibling-config.ts"

/** The configuration of a service, which can change while it runs. */
export interface HotConfig extends ConfigControl {
  /** Reloads as SIGHUP asks: what is wrong is logged. */
  reloadLogged(): Promise<void>
  /** The version of the configuration file as it is now; null without one that can be read. */
  versionOnDisk(): number | null
}

export interface HotConfigParts {
  readonly running: Config
  readonly source: ConfigSource | null
  readonly log: Log
  /** To the supervisor, when this is one of several workers: they take a configuration over together. */
  readonly channel: Channel | null
  /** Called when a change was taken over. */
  onTaken?(): void
  /**
   * Makes everything that follows from a configuration, unless nothing has changed, here or in the files that the configuration
   * names. Rejects with ConfigError when it cannot be used, and with ConfigRefused when something else stands against it.
   * Its changes are those of own APIs alone.
   * @param apis the copy of own APIs that all workers load, when the supervisor has made a new one
   */
  prepare(next: Config, isChanged: boolean, apis?: FolderCopy | null): Promise<Prepared>
}

const outdated = "The configuration was not changed. Read it again: it was changed meanwhile."

const notHere = "This service was started without a place to read its configuration again: restart it."

/** Creates what reads the configuration of one process again. Reloads happen one after the other. */
export function createHotConfig({
  running: first,
  source,
  log,
  channel,
  prepare,
  onTaken = () => {},
}: HotConfigParts): HotConfig {
  let running = first
  const inTurn = createTurns()

  function compare(next: Config): readonly ConfigChange[] {
    return changesBetween(running, next)
  }

  async function prepareNext(next: Config, apis?: FolderCopy | null): Promise<Prepared> {
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
        if (waiting.length > 0) {
          log.warn("settings changed that need a restart", { settings: waiting })
        }
      },
    }
  }

  const siblings =
    channel &&
    source &&
    joinConfig(channel, (text, apis) => orRefuse(() => prepareNext(source.read(text), apis)))

  /** The same as the supervisor of several workers does. */
  function replaceHere(expected: string, text: string): Promise<readonly ConfigChange[]> {
    return inTurn(() =>
      orRefuse(async () => {
        const { fileText } = running
        if (source === null) throw new ConfigError(notHere)
        if (fileText !== expected) throw new ConfigRefused(outdated, "outdated")
        const { changes, takeOver } = await prepareNext(source.read(text))
        source.replaceText(expected, text)
        takeOver()
        return changes
      }),
    )
  }

  const editParts: EditParts = {
    running: () => running,
    source,
    prepareNext,
    replace: (expected, text) => siblings?.replace(expected, text) ?? replaceHere(expected, text),
  }
  const control: HotConfig = {
    version: () => versionOf(running),
    edit: (values) => prepareEdit(values, editParts),
    diff: () => orRefuse(async () => compare(readNow())),
    // The file is read when its turn has come, so that the last change of it counts.
    reload: () =>
      siblings?.reload() ??
      inTurn(() =>
        orRefuse(async () => {
          const { changes, takeOver } = await prepareNext(readNow())
          takeOver()
          return changes
        }),
      ),
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

  function readNow(): Config {
    if (source === null) throw new ConfigError(notHere)
    return source.read(source.readText())
  }
}
