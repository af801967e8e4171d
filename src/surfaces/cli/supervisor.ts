import type { Clock } from "../../apis/contract.ts"
import type { FromSupervisor, FromWorker } from "../../observe/siblings.ts"
import { createReports } from "./reports.ts"

/** A worker process, as the supervisor sees it. */
export interface WorkerProcess {
  /** Resolves with the URL once it listens; rejects when it ends before that. */
  readonly listening: Promise<string>
  /** Resolves with the exit code. */
  readonly exited: Promise<number>
  stop(): void
  /** Sends a message; one that has ended hears nothing. */
  send(message: FromSupervisor): void
  /** Who is told what it says; to be named in the turn in which it was started. */
  onMessage(listener: (message: FromWorker) => void): void
}

export interface Supervised {
  readonly url: string
  /** Asks every worker to stop and waits until all have. */
  stop(): Promise<void>
}

/** A worker that lived shorter than this is not replaced at once: what killed it will likely kill the next. */
const shortLifeMs = 1_000

/**
 * Runs `count` workers on one port and replaces any that dies. The first one settles the port, which may be picked
 * freely; the rest, and every replacement, join it.
 * @param spawn starts a worker; with a port when it has to be a certain one
 * @throws when the first set of workers does not come up
 */
export async function supervise(
  count: number,
  spawn: (port: number | null) => WorkerProcess,
  clock: Clock,
  report: (message: string) => void,
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

  async function stop(): Promise<void> {
    stopping = true
    for (const worker of workers) worker.stop()
    await Promise.all(ends)
  }

  try {
    const url = await start()
    port = Number(new URL(url).port)
    await Promise.all(Array.from({ length: count - 1 }, start))
    return { url, stop }
  } catch (cause) {
    await stop()
    throw cause
  }
}
