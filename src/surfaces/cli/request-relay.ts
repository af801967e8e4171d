import type { Watching } from "../../observe/siblings.ts"
import type { WorkerProcess } from "./worker.ts"

/** A worker that can watch requests and be watched. */
export type Watcher = Pick<WorkerProcess, "send">

interface Route {
  readonly owner: Watcher
  readonly asked: Extract<Watching, { kind: "watch" }>
}

/**
 * The supervisor's part of watching requests: it passes one worker's filter to all others, and their requests back.
 * @param workers the workers that run, kept up to date by the caller
 */
export function createRequestRelay(workers: ReadonlySet<Watcher>) {
  /** By an id of its own, since two workers may use the same. */
  const routes = new Map<number, Route>()
  let lastId = 0

  function toOthers(worker: Watcher, message: Watching): void {
    for (const other of workers) if (other !== worker) other.send(message)
  }

  function forget(id: number, owner: Watcher): void {
    routes.delete(id)
    toOthers(owner, { kind: "unwatch", id })
  }

  return {
    receive(worker: Watcher, message: Watching): void {
      if (message.kind === "requests") {
        const route = routes.get(message.id)
        route?.owner.send({ ...message, id: route.asked.id })
      } else if (message.kind === "watch") {
        const id = ++lastId
        routes.set(id, { owner: worker, asked: message })
        toOthers(worker, { ...message, id })
      } else {
        for (const [id, { owner, asked }] of routes) {
          if (owner === worker && asked.id === message.id) forget(id, owner)
        }
      }
    },
    /** Tells a worker that has started what the others watch. */
    joined(worker: Watcher): void {
      for (const [id, { owner, asked }] of routes) if (owner !== worker) worker.send({ ...asked, id })
    },
    ended(worker: Watcher): void {
      for (const [id, { owner }] of routes) if (owner === worker) forget(id, owner)
    },
  }
}
