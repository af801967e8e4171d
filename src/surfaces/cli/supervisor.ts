import type { Clock } from "../../apis/contract.ts"
import type { FromSupervisor, FromWorker } from "../../observe/siblings.ts"
import { createReports } from "./reports.ts"
import { WorkerFailed } from "./worker.ts"

/** A worker process, as the supervisor sees it. */
export interface WorkerProcess {
  /** Resolves with the URL once it listens; rejects when it ends before that. */
  readonly listening: Promise<string>
  /** Resolves with the exit code. */
  readonly exited: Promise<number>
  /** Has it read its certificate again. */
  reload(): void
  /** Asks it to stop. */
  stop(): void
  /** Ends it at once, whatever it is doing. */
  kill(): void
  /** Sends a message; one that has ended hears nothing. */
  send(message: FromSupervisor): void
  /** Who is told what it says; to be named in the turn in which it was started. */
  onMessage(listener: (message: FromWorker) => void): void
}

export interface Supervised {
  readonly url: string
  /** Has every worker read its certificate again. */
  readonly reload: () => void
  /**
   * Asks every worker to stop and waits until all have; kills those that do not.
   * @throws {WorkerFailed} when there were such
   */
  stop(): Promise<void>
}

export interface SupervisorParts {
  /** Starts a worker; with a port when it has to be a certain one. */
  spawn(port: number | null): WorkerProcess
  readonly clock: Clock
  report(message: string): void
  /** How long a worker may take to stop; by itself it cuts calls off after 10 s. */
  readonly graceMs?: number
}

/** A worker that lived shorter than this is not replaced at once: what killed it will likely kill the next. */
const shortLifeMs = 1_000

/**
 * Runs `count` workers on one port and replaces any that dies. The first one settles the port, which may be picked
 * freely; the rest, and every replacement, join it.
 * @throws when the first set of workers does not come up
 */
export async function supervise(
  count: number,
  { spawn, clock, report, graceMs = 12_000 }: SupervisorParts,
): Promise<Supervised> {
  const workers = new Set<WorkerProcess>()
  const ends = new Set<Promise<void>>()
  const reports = createReports(workers)
  let stopping = false
  let port: number | null = null

  async function start(): Promise<string> {
    const startedAt = clock.monotonicMs()
    const worker = spawn(port)
    workers.add(worker)
    worker.onMessage((message) => reports.hear(worker, message))
    const end = worker.exited.then((code) => {
      workers.delete(worker)
      reports.ended(worker)
      ends.delete(end)
      const lived = clock.monotonicMs() - startedAt
      if (!stopping && port !== null) replace(code, lived)
    })
    ends.add(end)
    return worker.listening
  }

  function replace(code: number, livedMs: number): void {
    report(`a worker ended with code ${code} and is replaced`)
    const delayMs = livedMs < shortLifeMs ? shortLifeMs : 0
    setTimeout(() => {
      // One that does not come up ends, and its end brings the next try.
      if (!stopping) start().catch(() => {})
    }, delayMs)
  }

  function reload(): void {
    for (const worker of workers) worker.reload()
  }

  /** Gives how many had to be killed. */
  async function end(): Promise<number> {
    stopping = true
    let killed = 0
    for (const worker of workers) worker.stop()
    const overdue = setTimeout(() => {
      killed = workers.size
      for (const worker of workers) worker.kill()
    }, graceMs)
    await Promise.all(ends)
    clearTimeout(overdue)
    return killed
  }

  async function stop(): Promise<void> {
    const killed = await end()
    if (killed === 0) return
    throw new WorkerFailed(
      `${killed} of ${count} workers had to be killed: they did not stop within ${graceMs / 1_000} seconds.`,
    )
  }

  try {
    const url = await start()
    port = Number(new URL(url).port)
    await Promise.all(Array.from({ length: count - 1 }, start))
    return { url, reload, stop }
  } catch (cause) {
    await end()
    throw cause
  }
}
