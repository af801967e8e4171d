import { type ConfigChange, ConfigRefused } from "../admin/config/config-control.ts"
import type { Channel, FromSupervisor, FromWorker, ReloadResult, Served } from "../observe/siblings.ts"
import { messageOf } from "../values/message-of.ts"

/** The result of a change in a process. */
export interface Taken {
  /** The settings that differ, and own APIs when they differ. */
  readonly changes: readonly ConfigChange[]
  /** The folders of own APIs that cannot be served under it. */
  readonly refused: readonly string[]
}

type Question =
  | { readonly kind: "reload" }
  | { readonly kind: "replace"; readonly expected: string; readonly text: string }
  | { readonly kind: "settle" }

/** Asks the supervisor for a change of the configuration in all workers. Rejects with ConfigRefused. */
export type AskSupervisor = (question: Question) => Promise<readonly ConfigChange[]>

/**
 * A worker's part of a change of the configuration: the supervisor reads the files and tells one worker after another to take
 * them over.
 * @param takeOver replaces the file, too, when `expected` is not null; rejects with ConfigRefused
 */
export function joinConfig(
  channel: Channel,
  takeOver: (served: Served, expected: string | null) => Promise<Taken>,
): AskSupervisor {
  const waiting = new Map<number, (result: ReloadResult) => void>()
  const send = (message: FromWorker) => channel.send(message)
  let lastId = 0

  async function answerTake({ id, served, expected }: FromSupervisor & { kind: "take" }): Promise<void> {
    try {
      send({ kind: "taken", id, problem: null, ...(await takeOver(served, expected)) })
    } catch (thrown) {
      const refused = thrown instanceof ConfigRefused
      const problem = refused ? thrown.message : `The configuration was not changed: ${messageOf(thrown)}`
      const isOutdated = refused && thrown.reason === "outdated"
      send({ kind: "taken", id, problem, isOutdated, changes: [] })
    }
  }

  channel.onMessage((received) => {
    const message = received as FromSupervisor
    if (message.kind === "take") void answerTake(message)
    else if (message.kind === "reloaded") {
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  })

  return async (question) => {
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<ReloadResult>()
    waiting.set(id, resolve)
    send({ ...question, id })
    const { problem, isOutdated, changes } = await promise
    if (problem !== null) throw new ConfigRefused(problem, isOutdated ? "outdated" : "state")
    return changes as readonly ConfigChange[]
  }
}
