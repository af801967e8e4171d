import type { RequestFilter } from "../values/request-events.ts"
import type { Report } from "./report.ts"
import type { RequestBatch } from "./request-feed.ts"

/** The connection to the supervisor that started this process. Messages are plain data. */
export interface Channel {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

/** The configuration of a worker, as texts of the file; null without one. */
export interface Served {
  /** The text at the start of the service. Settings that need a restart are taken from it. */
  readonly first: string | null
  /** The present text. */
  readonly text: string | null
}

/** Messages by which the workers of a service show each other's requests. The id is the watch's in the receiving process. */
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
  /** The worker has taken over this text of the configuration file. The others follow. */
  | { readonly kind: "taken"; readonly text: string | null }
  /** The worker cannot take over the configuration of the others, and has to be replaced. */
  | { readonly kind: "behind" }
  | Watching
/** A message from the supervisor to a worker. */
export type FromSupervisor =
  /** Asks whether the worker still handles events. */
  | { readonly kind: "ping" }
  /** Asks a worker that stops, or will be asked to, not to wait for `--drain`. */
  | { readonly kind: "endDrain" }
  | { readonly kind: "report"; readonly id: number }
  | { readonly kind: "gathered"; readonly id: number; readonly reports: readonly Report[] }
  /** Asks to read the configuration file again. */
  | { readonly kind: "reload" }
  /** Asks to take over a text of the configuration file that another worker has taken over. */
  | { readonly kind: "take"; readonly text: string | null }
  | Watching

/** The processes that share this one's port. */
interface Siblings {
  /** Returns the reports of all processes: this one, the others, and those that have ended. */
  gather(): Promise<readonly Report[]>
  /** Sends a last report to the supervisor. */
  leave(): Promise<void>
}

/** For a process without a supervisor. */
export function noSiblings(report: () => Promise<Report>): Siblings {
  return { gather: async () => [await report()], leave: async () => {} }
}

/** @param onProblem called when the supervisor asks for a report, and it cannot be made or sent */
export function joinSiblings(
  channel: Channel,
  report: () => Promise<Report>,
  onProblem: (cause: unknown) => void,
): Siblings {
  const waiting = new Map<number, (reports: readonly Report[]) => void>()
  let lastId = 0
  const send = (message: FromWorker) => channel.send(message)
  const sendReport = async (id: number | null) => send({ kind: "reported", id, report: await report() })

  channel.onMessage((received) => {
    const message = received as FromSupervisor
    if (message.kind === "ping") send({ kind: "alive" })
    else if (message.kind === "report") sendReport(message.id).catch(onProblem)
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
