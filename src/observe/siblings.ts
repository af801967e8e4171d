import type { FolderCopy } from "../values/folder-copy.ts"
import type { Report } from "./report.ts"
import type { RequestBatch } from "./request-feed.ts"
import type { RequestFilter } from "./request-filter.ts"

/** The connection to the supervisor that started this process. Messages are plain data. */
export interface Channel {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

/** What a reload of the configuration gave: a problem, or the settings that differ, as plain data. */
export interface ReloadResult {
  readonly problem: string | null
  /** Whether it is a problem because another change of the configuration came first. */
  readonly isOutdated?: boolean
  readonly changes: readonly unknown[]
  /** The folders of own APIs that this process cannot serve. */
  readonly refused?: readonly string[]
}

/** How the workers of a service take a configuration over together. */
export type ConfigFromWorker =
  /** Asks for a reload in all workers. */
  | { readonly kind: "reload"; readonly id: number }
  /** Asks for another text of the configuration file, in all workers, if the present one is the expected one. */
  | { readonly kind: "replace"; readonly id: number; readonly expected: string; readonly text: string }
  /** Answers `prepare`. */
  | ({ readonly kind: "prepared"; readonly id: number } & ReloadResult)
  /** Answers `finish`. */
  | { readonly kind: "finished"; readonly id: number }
export type ConfigToWorker =
  /** Asks to make everything for a configuration file with this text, and for own APIs as they are in this copy. */
  | {
      readonly kind: "prepare"
      readonly id: number
      readonly text: string | null
      readonly apis: FolderCopy | null
    }
  /** Asks to take over what was prepared, or to drop it. */
  | { readonly kind: "finish"; readonly id: number; readonly take: boolean }
  /** Answers `reload` and `replace`. */
  | ({ readonly kind: "reloaded"; readonly id: number } & ReloadResult)

/** How the workers of a service show each other's requests. The id is that of the watch in the process that gets the message. */
export type Watching =
  /** Asks for the requests of all other workers. */
  | { readonly kind: "watch"; readonly id: number; readonly filter: RequestFilter }
  /** Ends it. */
  | { readonly kind: "unwatch"; readonly id: number }
  /** Requests that were asked for. */
  | ({ readonly kind: "requests"; readonly id: number } & RequestBatch)

/** A message from a worker to its supervisor. */
export type FromWorker =
  /** Asks for the reports of all workers. */
  | { readonly kind: "gather"; readonly id: number }
  /** Answers `report`. The id is null in the last report before the process ends. */
  | { readonly kind: "reported"; readonly id: number | null; readonly report: Report }
  /** Answers `ping`. */
  | { readonly kind: "alive" }
  | ConfigFromWorker
  | Watching
/** A message from the supervisor to a worker. */
export type FromSupervisor =
  /** Asks whether the worker still handles events. */
  | { readonly kind: "ping" }
  | { readonly kind: "report"; readonly id: number }
  | { readonly kind: "gathered"; readonly id: number; readonly reports: readonly Report[] }
  | ConfigToWorker
  | Watching

/** The processes that share this one's port. */
export interface Siblings {
  /** Returns the reports of all processes: this one, the others, and those that have ended. */
  gather(): Promise<readonly Report[]>
  /** Sends a last report to the supervisor. */
  leave(): Promise<void>
}

/** For a process without a supervisor. */
export function noSiblings(report: () => Promise<Report>): Siblings {
  return { gather: async () => [await report()], leave: async () => {} }
}

/** @param report returns the current report of this process; must not reject */
export function joinSiblings(channel: Channel, report: () => Promise<Report>): Siblings {
  const waiting = new Map<number, (reports: readonly Report[]) => void>()
  let lastId = 0
  const send = (message: FromWorker) => channel.send(message)
  const sendReport = async (id: number | null) => send({ kind: "reported", id, report: await report() })

  channel.onMessage((received) => {
    const message = received as FromSupervisor
    if (message.kind === "ping") send({ kind: "alive" })
    else if (message.kind === "report") void sendReport(message.id)
    else if (message.kind === "gathered") {
      waiting.get(message.id)?.(message.reports)
      waiting.delete(message.id)
    }
  })

  return {
    gather() {
      const id = ++lastId
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        send({ kind: "gather", id })
      })
    },
    leave: () => sendReport(null),
  }
}
