import { toRetired } from "../../observe/exposition.ts"
import type { Report } from "../../observe/report.ts"
import type { FromSupervisor, FromWorker } from "../../observe/siblings.ts"

/** A worker, as far as reports go. */
export interface Reporter {
  send(message: FromSupervisor): void
}

/** The supervisor's side of what workers report: whoever is asked for metrics answers for all. */
export interface Reports {
  /** Takes a message of a worker. */
  hear(worker: Reporter, message: FromWorker): void
  /** Keeps what a worker has last reported, and waits for it no longer. */
  ended(worker: Reporter): void
}

interface Round {
  readonly missing: Set<Reporter>
  finish(): void
}

/** A worker that is too busy to report so soon is counted as it last was. */
const roundMs = 1_000

/** @param workers those that run */
export function createReports(workers: ReadonlySet<Reporter>): Reports {
  const last = new Map<Reporter, Report>()
  const rounds = new Map<number, Round>()
  let lastRound = 0
  /** Of workers that have ended, merged one after the other. */
  let retired: Promise<Report> = Promise.resolve([])

  function gather(asker: Reporter, id: number): void {
    const round = ++lastRound
    const finish = () => {
      clearTimeout(overdue)
      if (!rounds.delete(round)) return
      retired.then((kept) => asker.send({ kind: "gathered", id, reports: [...last.values(), kept] }))
    }
    const overdue = setTimeout(finish, roundMs)
    rounds.set(round, { missing: new Set(workers), finish })
    for (const worker of workers) worker.send({ kind: "report", id: round })
  }

  function heardOf(worker: Reporter, round: Round | undefined): void {
    if (round?.missing.delete(worker) && round.missing.size === 0) round.finish()
  }

  return {
    hear(worker, message) {
      if (message.kind === "gather") gather(worker, message.id)
      else {
        last.set(worker, message.report)
        if (message.id !== null) heardOf(worker, rounds.get(message.id))
      }
    },
    ended(worker) {
      const report = last.get(worker)
      last.delete(worker)
      if (report) retired = retired.then((kept) => toRetired([kept, report]))
      for (const round of rounds.values()) heardOf(worker, round)
    },
  }
}
