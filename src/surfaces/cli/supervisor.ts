import type { Clock, Timer } from "../../apis/contract.ts"
import type { Served } from "../../observe/siblings.ts"
import { messageOf } from "../../values/message-of.ts"
import { maxSilent, startHeartbeat } from "./heartbeat.ts"
import { createReports } from "./reports.ts"
import { createRequestRelay } from "./request-relay.ts"
import { unflushedCode, WorkerFailed, type WorkerProcess } from "./worker.ts"

/** The parts that {@link supervise} uses. */
export interface SupervisorParts {
  /** Starts a worker on a port; null lets the command line decide. Throws if the program cannot be run. */
  spawn(port: number | null, served: Served): WorkerProcess
  /** The text of the configuration file; null without one. */
  readonly text: string | null
  /** Whether there are own APIs, which each worker loads at its start. */
  readonly hasOwnApis: boolean
  readonly clock: Clock
  readonly timer: Timer
  /** Tells the operator what happened to a worker. */
  report(message: string): void
  /** How long a worker serves on when it is asked to stop. */
  readonly drainMs?: number
  /** How long it may take to stop after that. A worker waits 10 s for its calls. */
  readonly graceMs?: number
  /** How often workers are asked whether they still handle events. */
  readonly heartbeatMs: number
}

/** A worker that ends sooner is replaced after a pause of this length: the next will likely end too. */
const shortLifeMs = 1_000

/**
 * Runs `count` workers on one port, which the first may pick, and replaces each one that ends or is stuck: an endless loop
 * in one worker would otherwise fail each connection that the system gives to it.
 * @throws if one of the first `count` workers does not start to listen
 */
export async function supervise(
  count: number,
  {
    spawn,
    text,
    hasOwnApis,
    clock,
    timer,
    report,
    drainMs = 0,
    graceMs = 12_000,
    heartbeatMs,
  }: SupervisorParts,
) {
  const workers = new Set<WorkerProcess>()
  const listening = new Set<WorkerProcess>()
  /** Workers that have to start again. */
  const outdated = new Set<WorkerProcess>()
  /** Outdated workers that are asked to stop. */
  const leaving = new Set<WorkerProcess>()
  let served: Served = { first: text, text }
  const ends = new Set<Promise<void>>()
  const reports = createReports(workers, timer)
  const requests = createRequestRelay(workers)
  const heartbeat = startHeartbeat<WorkerProcess>({
    timer,
    intervalMs: heartbeatMs,
    ask: (worker) => worker.send({ kind: "ping" }),
    onSilent(worker) {
      report(`a worker has been silent for ${(maxSilent * heartbeatMs) / 1_000} seconds and is killed`)
      worker.kill()
    },
  })
  let stopping = false
  let port: number | null = null

  function start(): WorkerProcess {
    const startedMs = clock.monotonicMs()
    const startedWith = served
    const worker = spawn(port, startedWith)
    workers.add(worker)
    worker.onMessage((message) => {
      heartbeat.heard(worker)
      const { kind } = message
      if (kind === "gather" || kind === "reported") reports.receive(worker, message)
      else if (kind === "watch" || kind === "unwatch" || kind === "requests")
        requests.receive(worker, message)
      else if (kind === "taken") take(message.text)
      else if (kind === "behind") renew([worker])
    })
    // One that never listens ends, and its end is seen below.
    worker.listening.then(
      () => {
        if (!workers.has(worker)) return
        listening.add(worker)
        heartbeat.watch(worker)
        requests.joined(worker)
        if (startedWith.text !== served.text) worker.send({ kind: "take", text: served.text })
        stopOutdated()
      },
      () => {},
    )
    const end = worker.exited.then((code) => {
      const isAsked = leaving.has(worker)
      for (const set of [workers, listening, outdated, leaving]) set.delete(worker)
      heartbeat.forget(worker)
      reports.ended(worker)
      requests.ended(worker)
      ends.delete(end)
      if (stopping || port === null) return
      // While one has the file open, SQLite checks no log. They must not close it either: that would empty the log.
      if (code === unflushedCode) for (const other of workers) other.kill()
      const livedMs = clock.monotonicMs() - startedMs
      if (isAsked) startMissing()
      else replace(`a worker ended with code ${code} and is replaced`, livedMs)
    })
    ends.add(end)
    return worker
  }

  function replace(reason: string, livedMs: number): void {
    report(reason)
    timer.after(livedMs < shortLifeMs ? shortLifeMs : 0, startMissing)
  }

  /** Starts a worker if one is missing, and one more while there are outdated ones. */
  function startMissing(): void {
    const wanted = outdated.size > 0 && leaving.size === 0 ? count + 1 : count
    if (stopping || workers.size - leaving.size >= wanted) return
    try {
      start()
    } catch (cause) {
      replace(`a worker cannot be started: ${messageOf(cause)}`, 0)
    }
  }

  /** Stops an outdated worker, if there are enough without it. It ends its calls. */
  function stopOutdated(): void {
    const [worker] = outdated
    if (!worker || listening.size - leaving.size <= count) return
    outdated.delete(worker)
    leaving.add(worker)
    heartbeat.forget(worker)
    worker.endDrain()
    worker.stop()
    void worker.exited.then(timer.after(graceMs, () => worker.kill()))
  }

  /** Makes all workers take over a text of the configuration file, in the order in which texts come here. */
  function take(next: string | null): void {
    if (next === served.text) return
    served = { ...served, text: next }
    for (const worker of listening) worker.send({ kind: "take", text: next })
  }

  /** Starts workers again, one after the other: a new one listens before an old one stops. */
  function renew(old: Iterable<WorkerProcess>): void {
    for (const worker of old) if (workers.has(worker) && !leaving.has(worker)) outdated.add(worker)
    startMissing()
  }

  /**
   * Stops all workers and returns how many had to be killed.
   * @param drainEnds ends the time in which they serve on; null leaves that time out
   */
  async function end(drainEnds: Promise<void> | null): Promise<number> {
    stopping = true
    heartbeat.stop()
    let killed = 0
    const killAfter = (ms: number) =>
      timer.after(ms, () => {
        killed = workers.size
        for (const worker of workers) worker.kill()
      })
    let cancel = killAfter(drainEnds ? drainMs + graceMs : graceMs)
    for (const worker of workers) {
      if (!drainEnds) worker.endDrain()
      worker.stop()
    }
    void drainEnds?.then(() => {
      cancel()
      if (workers.size > 0) cancel = killAfter(graceMs)
      for (const worker of workers) worker.endDrain()
    })
    await Promise.all(ends)
    cancel()
    return killed
  }

  /** Waits until every worker has ended. Kills workers that outlast the grace period, and then throws WorkerFailed. */
  async function stop({ drainEnds = new Promise<void>(() => {}) } = {}): Promise<void> {
    const killed = await end(drainEnds)
    const late = `they did not stop within ${graceMs / 1_000} seconds`
    if (killed > 0) throw new WorkerFailed(`${killed} of ${count} workers had to be killed: ${late}.`)
  }

  try {
    const { url } = await start().listening
    port = Number(new URL(url).port)
    await Promise.all(Array.from({ length: count - 1 }, () => start().listening))
    /** Starts the workers again, so that they load own APIs anew. */
    const restart = () => renew(workers)
    /** Makes every worker read its certificate again, and one the configuration file, which the others take over from it. */
    const reload = () => {
      // One that does not listen yet reads them anyway, and the signal would end it.
      for (const worker of listening) worker.reload()
      const [first] = [...listening].filter((worker) => !leaving.has(worker))
      first?.send({ kind: "reload" })
      if (hasOwnApis) restart()
    }
    return { url, reload, restart, stop }
  } catch (cause) {
    await end(null)
    throw cause
  }
}
