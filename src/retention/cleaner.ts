import type { Ports } from "../apis/contract.ts"
import type { Log } from "../ports/log.ts"
import { type History, hourMs, minutesSince } from "../store/history.ts"
import type { KeptRequests } from "../store/kept-requests.ts"
import { dayMs, type PassStep, type Retention, toDay, toStart } from "../store/retention.ts"

/** How many days records are kept. */
interface KeptDays {
  /** 0: there is no history, and nothing of it is deleted. */
  readonly history: number
  readonly keepNotices: number
  /** Usage is kept by day for so long, and then by month. */
  readonly keepUsage: number
  /** 0: no request is kept. */
  readonly keepRequests: number
}

interface CleanerParts extends Pick<Ports, "clock" | "timer"> {
  readonly store: {
    readonly history: Pick<History, "fold" | "deleteBefore">
    readonly requests: Pick<KeptRequests, "deleteBefore">
    readonly retention: Retention
  }
  /** It may change. */
  readonly kept: () => KeptDays
  readonly log: Pick<Log, "warn" | "info">
  /** The share of the time for steps; 1 for no pauses between them. */
  readonly share?: number
}

/** The share of calls that meet a step. With more, the steps would set the 99th percentile of calls. */
const usualShare = 0.05
/** The first attempt after a start. */
const startDelayMs = 60_000
/** The wait until the log may have room again: a backup reads for seconds. */
const roomDelayMs = 1_000
/** Rows of a step. It begins with the fewest: a row whose pages are not in memory takes a millisecond. */
const fewestRows = 4
const mostRows = 2_000

/** Creates what deletes old records once an hour, in small steps with pauses. It does not start it. */
export function createCleaner(parts: CleanerParts) {
  const { store, kept, clock, timer, log, share = usualShare } = parts
  const { history, requests, retention } = store
  let isStopped = false
  let cancel = () => {}
  let wake = () => {}
  let running: Promise<void> | null = null
  /** Before this time this process has deleted the charges of accounts. They are deleted by whole days. */
  let creditsMs = Number.NEGATIVE_INFINITY

  /** Calls a step until it returns no place, and pauses after each. */
  async function repeat(step: (place: string, limit: number) => Promise<PassStep>): Promise<number> {
    let rows = 0
    let limit = fewestRows
    for (let place: string | null = ""; place !== null && !isStopped; ) {
      if (!retention.hasRoom()) {
        await pause(roomDelayMs)
        continue
      }
      const startMs = clock.monotonicMs()
      const done: PassStep = await step(place, limit)
      const tookMs = clock.monotonicMs() - startMs
      rows += done.rows
      place = done.next
      const factor = Math.min(2, retention.stepMs / Math.max(tookMs, 0.01))
      limit = Math.round(Math.min(mostRows, Math.max(fewestRows, limit * factor)))
      if (place !== null) await pause(tookMs * (1 / share - 1))
    }
    return rows
  }

  /** A step that begins at the same place until it finds few rows. */
  const inOrder = (step: (limit: number) => Promise<number>) => (_: string, limit: number) =>
    step(limit).then((rows): PassStep => ({ rows, next: rows < limit ? null : "" }))

  function pause(ms: number): Promise<void> {
    if (ms < 1) return timer.turn()
    return new Promise((resolve) => {
      const cancelPause = timer.after(Math.ceil(ms), resolve)
      wake = () => {
        cancelPause()
        resolve()
      }
    })
  }

  async function clean(): Promise<void> {
    const nowMs = clock.now()
    const { history: historyDays, keepNotices, keepUsage, keepRequests } = kept()
    const deleted = { notices: 0, usage: 0, history: 0, requests: 0, replays: 0 }
    if (historyDays > 0) {
      await repeat(inOrder((limit) => history.fold(minutesSince(nowMs), limit)))
      const oldestMs = toStart(nowMs - historyDays * dayMs, hourMs)
      deleted.history += await repeat(inOrder((limit) => history.deleteBefore(oldestMs, limit)))
      const oldestDayMs = toStart(oldestMs, dayMs)
      if (oldestDayMs !== creditsMs) {
        deleted.history += await repeat((place, limit) => retention.deleteCredits(oldestDayMs, place, limit))
        creditsMs = oldestDayMs
      }
    }
    const noticesMs = nowMs - keepNotices * dayMs
    deleted.notices = await repeat(inOrder((limit) => retention.deleteNotices(noticesMs, limit)))
    deleted.replays = await repeat(inOrder((limit) => retention.deleteReplays(nowMs, limit)))
    deleted.usage = await foldUsage(monthOf(nowMs - keepUsage * dayMs))
    const requestsMs = nowMs - keepRequests * dayMs
    deleted.requests = await repeat((_, limit) => requests.deleteBefore(requestsMs, limit))
    if (Object.values(deleted).some((rows) => rows > 0)) log.info("old records deleted", deleted)
  }

  /**
   * A query asks first until when usage is kept by month. So this is set at least an hour before the first row changes: earlier
   * queries have ended by then.
   */
  async function foldUsage(untilDay: string): Promise<number> {
    const knownDay = await retention.monthsUntil()
    if (knownDay === null || knownDay < untilDay) await retention.setMonthsUntil(untilDay)
    if (knownDay === null || isStopped || ((await retention.foldedUntil()) ?? "") >= knownDay) return 0
    const rows = await repeat((place, limit) => retention.foldUsage(knownDay, place, limit))
    if (!isStopped) await retention.setFoldedUntil(knownDay)
    return rows
  }

  /** Deletes what is old, unless another process does so in this hour. It never rejects. */
  function run(): Promise<void> {
    running ??= attempt().finally(() => {
      running = null
    })
    return running
  }

  async function attempt(): Promise<void> {
    try {
      if (await retention.takeHour(toStart(clock.now(), hourMs))) await clean()
    } catch (cause) {
      log.warn("old records not deleted; this is tried again in an hour", { cause: String(cause) })
    }
  }

  function schedule(delayMs: number): void {
    cancel = timer.after(delayMs, () => {
      void run()
      schedule(hourMs - (clock.now() % hourMs))
    })
  }

  return {
    run,
    start: () => schedule(startDelayMs),
    /** Ends after the step under way. */
    async stop() {
      isStopped = true
      cancel()
      wake()
      await running
    },
  }
}

/** The first day of the month of a time. */
function monthOf(ms: number): string {
  return `${toDay(ms).slice(0, 7)}-01`
}
