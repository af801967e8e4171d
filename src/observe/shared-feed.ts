import type { RequestFilter } from "../values/request-events.ts"
import { override } from "../values/stand-in.ts"
import type { RequestFeed, RequestWatch } from "./request-feed.ts"
import type { Channel, FromSupervisor, Watching } from "./siblings.ts"

/** The feed of a worker. Its watchers also get the requests of the other workers, through their supervisor. */
export function shareFeed(own: RequestFeed, channel: Channel): RequestFeed {
  const send = (message: Watching) => channel.send(message)
  /** Watches of this process, by the id that the others know them by. */
  const local = new Map<number, RequestWatch>()
  /** Watches of other processes. */
  const remote = new Map<number, RequestWatch>()
  let lastId = 0

  function watchForOther(id: number, filter: RequestFilter): void {
    if (remote.has(id)) return
    const watch = own.watch(filter, () => {
      if (watch && !watch.isOver) send({ kind: "requests", id, ...watch.take() })
    })
    if (watch) remote.set(id, watch)
  }

  channel.onMessage((received) => {
    const message = received as FromSupervisor
    if (message.kind === "watch") watchForOther(message.id, message.filter)
    else if (message.kind === "unwatch") {
      remote.get(message.id)?.end()
      remote.delete(message.id)
    } else if (message.kind === "requests") {
      const watch = local.get(message.id)
      if (watch) own.add(watch, message)
    }
  })

  return override(own, {
    watch(filter, onReady) {
      const watch = own.watch(filter, onReady)
      if (watch === null) return null
      const id = ++lastId
      local.set(id, watch)
      send({ kind: "watch", id, filter })
      return override(watch, {
        end() {
          watch.end()
          if (local.delete(id)) send({ kind: "unwatch", id })
        },
      })
    },
  })
}
