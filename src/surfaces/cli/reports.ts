import type { Timer } from "../../apis/contract.ts"
import { type Report, toRetired } from "../../observe/report.ts"
import type { FromWorker } from "../../observe/siblings.ts"
import type { WorkerProcess } from "./worker.ts"

/** A worker that can be asked for its metrics. */
type Reporter = Pick<WorkerProcess, "send">

interface Round {
  readonly missing: Set<Reporter>
  finish(): void
}

/** How long a round waits. For a worker too busy to answer, its last report is used. */
const roundMs = 1_000

/**
 * The supervisor's part of `GET /metrics`: it collects the metrics of all workers for the one that was asked.
 * @param workers the workers that run, kept up to date by the caller
 */
export function createReports(workers: ReadonlySet<Reporter>, timer: Timer) {
  const last = new Map<Reporter, Report>()
  const rounds = new Map<number, Round>()
  let lastRound = 0
  /** The merged reports of all workers that have ended. */
  let retired: Promise<Report> = Promise.resolve([])

  function gather(asker: Reporter, id: number): void {
    const round = ++lastRound
    const finish = () => {
      cancel()
      if (!rounds.delete(round)) return
      retired.then((kept) => asker.send({ kind: "gathered", id, reports: [...last.values(), kept] }))
    }
    const cancel = timer.after(roundMs, finish)
    rounds.set(round, { missing: new Set(workers), finish })
    for (const worker of workers) worker.send({ kind: "report", id: round })
  }

  function markReported(worker: Reporter, round: Round | undefined): void {
    if (round?.missing.delete(worker) && round.missing.size === 0) round.finish()
  }

  return {
    receive(worker: Reporter, message: Extract<FromWorker, { kind: "gather" | "reported" }>): void {
      if (message.kind === "gather") gather(worker, message.id)
      else {
        last.set(worker, message.report)
        if (message.id !== null) markReported(worker, rounds.get(message.id))
      }
    },
    /** Keeps the last report of a worker that has ended, and stops waiting for it. */
    ended(worker: Reporter): void {
      const report = last.get(worker)
      last.delete(worker)
      if (report) retired = retired.then((kept) => toRetired([kept, report]))
      for (const round of rounds.values()) markReported(worker, round)
    },
  }
}
