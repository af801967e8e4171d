import { override } from "../values/stand-in.ts"
import { AdminFault } from "./fault.ts"
import type { Actor } from "./operation.ts"
import type { Subscription } from "./parts.ts"

/** The most that one reader may watch at once. All readers of a process share its watches. */
const maxWatchesEach = 5

/** Runs the lists of each reader one after the other. Each may look at every row; the rest of the time is for others. */
export function createListTurns() {
  const running = new Map<string, Promise<unknown>>()
  return async <T>(actor: Actor, read: () => Promise<T>): Promise<T> => {
    const reader = readerOf(actor)
    const before = running.get(reader)
    const own = before === undefined ? read() : before.then(read)
    const ended = own.catch(() => {})
    running.set(reader, ended)
    return own.finally(() => {
      if (running.get(reader) === ended) running.delete(reader)
    })
  }
}

/** Leaves watches for others: one reader may have {@link maxWatchesEach}, and gets a 429 for more. */
export function createWatchLimit() {
  const watches = new Map<string, number>()
  const add = (reader: string, change: number) => {
    const count = (watches.get(reader) ?? 0) + change
    if (count === 0) watches.delete(reader)
    else watches.set(reader, count)
  }
  return (actor: Actor, watch: () => Subscription): Subscription => {
    const reader = readerOf(actor)
    if ((watches.get(reader) ?? 0) >= maxWatchesEach) throw tooMany
    const subscription = watch()
    add(reader, 1)
    let isCounted = true
    return override(subscription, {
      end() {
        if (isCounted) add(reader, -1)
        isCounted = false
        subscription.end()
      },
    })
  }
}

const tooMany = new AdminFault(
  "too-many-requests",
  `Close another watch of this key first: it may have ${maxWatchesEach} at once.`,
  { retryAfterSeconds: 10 },
)

/** All sessions of one admin key, administrator or account are one reader. The machine itself has a process to each command. */
function readerOf({ account, adminKeyId, session }: Actor): string {
  return account ?? adminKeyId ?? session?.owner ?? "machine"
}
