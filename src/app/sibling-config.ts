import { type ConfigChange, ConfigRefused } from "../admin/config/control.ts"
import type { Channel, FromSupervisor, FromWorker, ReloadResult } from "../observe/siblings.ts"
import type { FolderCopy } from "../values/folder-copy.ts"
import { messageOf } from "../values/message-of.ts"

type ConfigQuestion =
  | { readonly kind: "reload" }
  | { readonly kind: "replace"; readonly expected: string; readonly text: string }

/** A configuration that is checked and made, and waits to be taken over. */
export interface Prepared {
  /** The settings that differ, and own APIs when they differ. */
  readonly changes: readonly ConfigChange[]
  /** The folders of own APIs that cannot be served under it. */
  readonly refused: readonly string[]
  takeOver(): void
  /** Ends what was made for it. */
  drop(): void
}

/** Changes of the configuration that all workers make together. */
export interface SiblingConfig {
  reload(): Promise<readonly ConfigChange[]>
  /** Replaces the text of the configuration file, if it is still the expected one. */
  replace(expected: string, text: string): Promise<readonly ConfigChange[]>
}

/**
 * A worker's part of a change of the configuration: the supervisor reads the file once, every worker prepares it, and all take it
 * over, or none.
 * @param prepare rejects with ConfigRefused
 */
export function joinConfig(
  channel: Channel,
  prepare: (text: string | null, apis: FolderCopy | null) => Promise<Prepared>,
): SiblingConfig {
  const waiting = new Map<number, (result: ReloadResult) => void>()
  const send = (message: FromWorker) => channel.send(message)
  let lastId = 0
  let prepared: Prepared | null = null

  async function answerPrepare({ id, text, apis }: FromSupervisor & { kind: "prepare" }): Promise<void> {
    try {
      prepared = await prepare(text, apis)
      const { changes, refused } = prepared
      send({ kind: "prepared", id, problem: null, changes, refused })
    } catch (thrown) {
      const problem =
        thrown instanceof ConfigRefused
          ? thrown.message
          : `The configuration was not changed: ${messageOf(thrown)}`
      send({ kind: "prepared", id, problem, changes: [] })
    }
  }

  channel.onMessage((received) => {
    const message = received as FromSupervisor
    if (message.kind === "prepare") void answerPrepare(message)
    else if (message.kind === "finish") {
      if (message.take) prepared?.takeOver()
      else prepared?.drop()
      prepared = null
      send({ kind: "finished", id: message.id })
    } else if (message.kind === "reloaded") {
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  })

  async function ask(message: ConfigQuestion): Promise<readonly ConfigChange[]> {
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<ReloadResult>()
    waiting.set(id, resolve)
    send({ ...message, id })
    const { problem, isOutdated, changes } = await promise
    if (problem !== null) throw new ConfigRefused(problem, isOutdated ? "outdated" : "state")
    return changes as readonly ConfigChange[]
  }

  return {
    reload: () => ask({ kind: "reload" }),
    replace: (expected, text) => ask({ kind: "replace", expected, text }),
  }
}
