import type { Report } from "./report.ts"

/** A line to the supervisor that has started this process. Messages are plain data. */
export interface Channel {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

/** What a worker and its supervisor say to each other. */
export type FromWorker =
  /** "What do all of us report?" */
  | { readonly kind: "gather"; readonly id: number }
  /** To `report`; without an id the last one before the end. */
  | { readonly kind: "reported"; readonly id: number | null; readonly report: Report }
export type FromSupervisor =
  | { readonly kind: "report"; readonly id: number }
  | { readonly kind: "gathered"; readonly id: number; readonly reports: readonly Report[] }

/** The processes that share this one's port. */
export interface Siblings {
  /** The reports of all, this one's included, and what is kept of those that have ended. */
  gather(): Promise<readonly Report[]>
  /** Leaves a last report behind. */
  leave(): void
}

/** A process by itself. */
export function noSiblings(report: () => Report): Siblings {
  return { gather: async () => [report()], leave() {} }
}

/** @param report what this process has to report when it is asked */
export function joinSiblings(channel: Channel, report: () => Report): Siblings {
  const waiting = new Map<number, (reports: readonly Report[]) => void>()
  let lastId = 0
  const send = (message: FromWorker) => channel.send(message)

  channel.onMessage((received) => {
    const message = received as FromSupervisor
    if (message.kind === "report") send({ kind: "reported", id: message.id, report: report() })
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
    leave: () => send({ kind: "reported", id: null, report: report() }),
  }
}
