import { periodAt } from "../accounts/credits.ts"
import { daysBeforeExpiry, eventId, keyExpiringEvent, warningMs } from "../accounts/event-data.ts"
import type { Plans } from "../accounts/plan.ts"
import type { Ports } from "../apis/contract.ts"
import { logFailure } from "../outbox/delivery-loop.ts"
import type { Log } from "../ports/log.ts"
import type { TimedNotice } from "../store/outbox.ts"
import {
  type EventPage,
  keyExpiring,
  monthRenewed,
  type RenewingAccount,
  type TimedEvents,
  type TimeWindow,
} from "../store/timed-events.ts"
import { dayMs, toIso } from "../values/time-text.ts"

interface EventCheckParts extends Pick<Ports, "clock" | "timer"> {
  readonly events: TimedEvents
  readonly plans: Plans
  readonly log: Log
}

const intervalMs = 60_000
/** Rows that are read and notices that are written in one turn of the event loop. */
const pageSize = 200

/** Creates what raises the events that come with time, each once, however many processes check. Does not start it. */
export function createEventCheck(parts: EventCheckParts) {
  const { events, clock, timer, log } = parts
  let isStopped = false
  let cancel = () => {}
  let running: Promise<void> = Promise.resolve()

  async function run(nowMs = clock.now()): Promise<void> {
    const lookedMs = await events.lookedUntilMs()
    if (lookedMs === nowMs) return
    // After a clock was set back, events are raised again; those in the store already are ignored.
    if (lookedMs !== null && lookedMs < nowMs) {
      const window = { afterMs: lookedMs, untilMs: nowMs }
      for (const days of daysBeforeExpiry) await raiseExpiring(window, days)
      await raiseRenewed(window)
    }
    // Only now: a process that ends before leaves the rest to the next check.
    await events.keepLookedUntilMs(nowMs)
  }

  async function raiseExpiring(window: TimeWindow, days: (typeof daysBeforeExpiry)[number]): Promise<void> {
    const expiries = { afterMs: window.afterMs + days * dayMs, untilMs: window.untilMs + days * dayMs }
    await forEachPage(
      (page) => events.keysExpiring(expiries, page),
      ({ isWanted, ...key }) => {
        const raisedMs = warningMs(key.expiresMs, days)
        // A key that was made for a shorter time needs no warning.
        if (!isWanted || key.createdMs > raisedMs) return null
        const { id, data } = keyExpiringEvent(key, days)
        return { id, accountId: key.accountId, type: keyExpiring, data, raisedMs, periodStartMs: null }
      },
    )
  }

  async function raiseRenewed(window: TimeWindow): Promise<void> {
    for (const times of timesOfDay(window))
      await forEachPage(
        (page) => events.accountsByTimeOfDay(times, page),
        (account) => (account.isWanted ? toRenewed(account, window, parts.plans) : null),
      )
  }

  async function forEachPage<Row extends { readonly atMs: number; readonly id: string }>(
    read: (page: EventPage) => Promise<readonly Row[]>,
    toNotice: (row: Row) => TimedNotice | null,
  ): Promise<void> {
    for (let after: EventPage["after"] = null; ; await timer.turn()) {
      const rows: readonly Row[] = await read({ limit: pageSize, after })
      const notices = rows.flatMap((row) => toNotice(row) ?? [])
      if (notices.length > 0) await events.raise(notices)
      after = rows.at(-1) ?? null
      if (rows.length < pageSize) return
    }
  }

  function check(): void {
    running = run()
      .catch((cause) => logFailure(log, cause))
      .then(() => {
        if (!isStopped) cancel = timer.after(intervalMs, check)
      })
  }

  return {
    /**
     * Raises the events that became due since the last check of any process, up to `nowMs`: by default the present, or later if
     * the clock is about to move there. A first check raises nothing.
     */
    run,
    /** Checks now and then every minute. */
    start: check,
    /** Resolves when a check in progress has ended. */
    async stop() {
      isStopped = true
      cancel()
      await running
    },
  }
}

/** The notice of the credit month that has begun in a window; null when none has. If there were several, only the last. */
function toRenewed(account: RenewingAccount, { afterMs, untilMs }: TimeWindow, plans: Plans) {
  const { id: accountId, createdMs, periodStartMs, plan, bonus } = account
  const { startMs, endMs } = periodAt(createdMs, untilMs)
  // The first month does not renew anything. A stored month in the future stays in force.
  if (startMs <= afterMs || startMs <= createdMs || startMs < periodStartMs) return null
  const data = JSON.stringify({
    account: accountId,
    plan,
    allowance: plans.get(plan)?.monthlyCredits ?? null,
    bonus,
    period_start: toIso(startMs),
    period_end: toIso(endMs),
  })
  const id = eventId(monthRenewed, accountId, startMs)
  return { id, accountId, type: monthRenewed, data, raisedMs: startMs, periodStartMs: startMs }
}

/** The times of day in a window: one span, or two around midnight. */
function timesOfDay({ afterMs, untilMs }: TimeWindow): readonly TimeWindow[] {
  if (untilMs - afterMs >= dayMs) return [{ afterMs: -1, untilMs: dayMs }]
  const [after, until] = [afterMs % dayMs, untilMs % dayMs]
  if (after < until) return [{ afterMs: after, untilMs: until }]
  return [
    { afterMs: -1, untilMs: until },
    { afterMs: after, untilMs: dayMs },
  ]
}
