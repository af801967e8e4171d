import type { Report } from "./report.ts"

/** The connection to the supervisor that started this process. Messages are plain data. */
export interface Channel {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

/** A message from a worker to its supervisor. */
export type FromWorker =
  /** Asks for the reports of all workers. */
  | { readonly kind: "gather"; readonly id: number }
  /** Answers `report`. The id is null in the last report before the process ends. */
  | { readonly kind: "reported"; readonly id: number | null; readonly report: Report }
  /** Answers `ping`. */
  | { readonly kind: "alive" }
/** A message from the supervisor to a worker. */
export type FromSupervisor =
  /** Asks whether the worker still handles events. */
  | { readonly kind: "ping" }
  | { readonly kind: "report"; readonly id: number }
  | { readonly kind: "gathered"; readonly id: number; readonly reports: readonly Report[] }

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
    else {
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
