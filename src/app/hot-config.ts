import { type ConfigChange, type ConfigControl, ConfigRefused } from "../admin/config/config-control.ts"
import { changesBetween, keepUntilRestart } from "../config/describe.ts"
import type { ConfigSource } from "../config/file.ts"
import type { Config } from "../config/load.ts"
import { ConfigError } from "../config/setting-name.ts"
import type { Log } from "../ports/log.ts"
import { messageOf } from "../values/message-of.ts"
import { orRefuse, prepareEdit, versionOf } from "./config-edit.ts"

/** Returns a function that does work one after the other, in the order of its calls. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    // The caller gets the error; the next work begins all the same.
    last = done.catch(() => {})
    return done
  }
}

/**
 * Makes everything that follows from a configuration. Returns the function that takes it over, which cannot fail.
 * @throws ConfigError when the configuration cannot be used, and ConfigRefused for any other reason
 */
type PrepareGeneration = (config: Config) => Promise<() => void>

interface HotConfigParts {
  readonly running: Config
  readonly source: ConfigSource | null
  readonly log: Log
  /** Called with a text of the configuration file that this process is the first to take over. */
  onTaken(text: string | null): void
}

const outdated = "The configuration was not changed. Read it again: it was changed meanwhile."

const notHere = "This service cannot read its configuration again: restart it."

/** Makes the configuration of one process, which can change while it runs. Changes are made one after the other. */
export function createHotConfig({ source, log, onTaken, ...parts }: HotConfigParts) {
  let { running } = parts
  let prepare: PrepareGeneration = () =>
    Promise.reject(new ConfigError("This service is starting. Try again in a moment."))
  const inTurn = createTurns()

  const compare = (next: Config): readonly ConfigChange[] => changesBetween(running, next)

  async function prepareNext(next: Config) {
    const changes = compare(next)
    const taken = changes.filter(({ needsRestart }) => !needsRestart).map(({ setting }) => setting)
    const waiting = changes.filter(({ needsRestart }) => needsRestart).map(({ setting }) => setting)
    const config = keepUntilRestart(running, next)
    const swap = taken.length > 0 ? await prepare(config) : () => {}
    return {
      changes,
      takeOver() {
        swap()
        running = config
        if (taken.length > 0) log.info("configuration changed", { settings: taken })
        if (waiting.length > 0) log.warn("settings changed that need a restart", { settings: waiting })
      },
    }
  }

  /**
   * First every step that can fail, then the change. The file is read at its turn, so that its last change counts.
   * @param read returns the new text
   * @param expected the text that the file must have, which the new one then replaces; null to leave the file alone
   */
  function change(read: (from: ConfigSource) => string | null, expected: string | null = null) {
    return inTurn(() =>
      orRefuse(async () => {
        if (source === null) throw new ConfigError(notHere)
        if (expected !== null && running.fileText !== expected) throw new ConfigRefused(outdated, "outdated")
        const text = read(source)
        const { changes, takeOver } = await prepareNext(source.read(text))
        if (expected !== null) source.replaceText(expected, text ?? "")
        takeOver()
        return changes
      }),
    )
  }

  async function changeFirst(...how: Parameters<typeof change>): Promise<readonly ConfigChange[]> {
    const changes = await change(...how)
    onTaken(running.fileText)
    return changes
  }

  const control: ConfigControl = {
    version: () => versionOf(running),
    edit: async (values) =>
      prepareEdit(values, {
        ...{ running, source, prepareNext },
        text: await orRefuse(() => source?.readText() ?? null),
        replace: (expected, text) => changeFirst(() => text, expected),
      }),
    diff: () =>
      orRefuse(() => {
        if (source === null) throw new ConfigError(notHere)
        return compare(source.read(source.readText()))
      }),
    reload: () => changeFirst((from) => from.readText()),
  }
  return {
    ...control,
    /**
     * Takes over a text of the file that another process of the service has taken over.
     * @throws {ConfigRefused}
     */
    follow: (text: string | null) => change(() => text),
    /** Sets what makes a change take effect, once the service has what that needs. Changes are refused before. */
    start(given: PrepareGeneration) {
      prepare = given
    },
    /** Reloads for SIGHUP: every failure is logged. Never rejects. */
    async reloadLogged() {
      try {
        await control.reload()
      } catch (thrown) {
        log.error("configuration not changed; the old one stays", { cause: messageOf(thrown) })
      }
    },
  }
}
