import type { Ports, Random } from "../apis/contract.ts"
import type { Log } from "../ports/log.ts"

/** A way by which rows of an outbox leave, such as webhooks or mail. */
interface Channel<Row> {
  /** Attempts at the same time, each at another place. Silent receivers delay others only when there are this many. */
  readonly maxAttempts: number
  /** The share of repetitions in `maxAttempts`, so that new rows always find a place. */
  readonly maxRetries: number
  /** Leases the row that has been due longest; null when nothing is due. */
  claim(options: ClaimFilter): Promise<Row | null>
  /** When the next row becomes due after `nowMs`; null without one. */
  nextAttemptMs(nowMs: number): Promise<number | null>
  /** The place of a row's attempts, such as a host. While one row is sent there, others with this place wait. */
  placeOf(row: Row): string
  isRetry(row: Row): boolean
  /** Makes one attempt and records it. Never throws. */
  attempt(row: Row): Promise<void>
}

/** The rows that may be leased. */
interface ClaimFilter {
  readonly nowMs: number
  readonly busyPlaces: readonly string[]
  readonly untriedOnly: boolean
}

interface LoopParts extends Pick<Ports, "clock" | "timer"> {
  readonly log: Log
}

/** The outbox is read at least this often: another process may have died, or the clock may have been set. */
const maxSleepMs = 60_000
const minSleepMs = 1_000

/** Creates the loop that sends the rows of an outbox, each at least once, but does not start it. */
export function createDeliveryLoop<Row>(channel: Channel<Row>, { clock, timer, log }: LoopParts) {
  const { maxAttempts, maxRetries } = channel
  let state: "idle" | "started" | "stopped" = "idle"
  let filling: Promise<void> | null = null
  let isWoken = false
  let cancelSleep = () => {}
  /** Attempts in progress, by place. */
  const inProgress = new Map<string, Promise<void>>()
  let retries = 0

  /** Starts the attempt that has been due longest. False when nothing is due or no place is free. */
  async function startAttempt(): Promise<boolean> {
    if (state === "stopped" || inProgress.size >= maxAttempts) return false
    const busyPlaces = [...inProgress.keys()]
    const untriedOnly = retries >= maxRetries
    const row = await channel.claim({ nowMs: clock.now(), busyPlaces, untriedOnly })
    if (!row) return false
    const isRetry = channel.isRetry(row)
    const place = channel.placeOf(row)
    if (isRetry) retries++
    const ended = channel.attempt(row).then(() => {
      inProgress.delete(place)
      if (isRetry) retries--
      wake()
    })
    inProgress.set(place, ended)
    return true
  }

  /** Looks whether something is due. */
  function wake(): void {
    if (state !== "started") return
    isWoken = true
    filling ??= fill()
  }

  /** Starts attempts while there is something due and a free place, then sleeps until the next row is due. */
  async function fill(): Promise<void> {
    cancelSleep()
    while (isWoken && state === "started") {
      isWoken = false
      let delayMs = maxSleepMs
      try {
        while (await startAttempt());
        const nextMs = await channel.nextAttemptMs(clock.now())
        if (nextMs !== null) delayMs = nextMs - clock.now()
      } catch (cause) {
        logFailure(log, cause)
        delayMs = minSleepMs
      }
      if (!isWoken && state === "started")
        cancelSleep = timer.after(Math.min(maxSleepMs, Math.max(minSleepMs, delayMs)), wake)
    }
    // In the same step as the last check of isWoken: a wake in between would be lost.
    filling = null
  }

  return {
    wake,
    /** Makes one attempt for every due row and returns the number of attempts. Works without `start`. */
    async runDue() {
      for (let attempts = 0; ; ) {
        while (await startAttempt()) attempts++
        if (inProgress.size === 0) return attempts
        await Promise.race(inProgress.values())
      }
    },
    /** Starts sending in the background, first the rows of earlier processes unless `looks` is false. */
    start({ looks = true } = {}) {
      state = "started"
      if (looks) wake()
    },
    /** Starts no more attempts. Resolves when those in progress have ended and are recorded. */
    async stop() {
      state = "stopped"
      cancelSleep()
      await filling
      await Promise.all(inProgress.values())
    },
  }
}

/** Logs an error of this program or its store, not of a receiver. */
export function logFailure(log: Log, cause: unknown): void {
  log.error("notice delivery failed", {
    cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
  })
}

const firstDelayMs = 5_000
/** The longest wait, whatever a receiver asks for. */
export const maxDelayMs = 3_600_000
/** A row of an outbox fails when its waits add up to this. */
export const giveUpAfterMs = 86_400_000

/** The wait after failed attempt 1, 2, …: 5 s, doubling up to an hour. Half of it is random, to spread the repetitions. */
export function backoffMs(failures: number, random: Random): number {
  const ceiling = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1))
  const fraction = random.bytes(4).reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 32
  return Math.round((ceiling / 2) * (1 + fraction))
}

/** The wait before the next attempt; null to give up. `Retry-After` (RFC 9110 §10.2.3) can lengthen it up to an hour. */
export function nextDelayMs(
  { failures, waitedMs, retryAfter }: { failures: number; waitedMs: number; retryAfter: string | null },
  nowMs: number,
  random: Random,
): number | null {
  if (waitedMs >= giveUpAfterMs) return null
  const asked = Math.min(maxDelayMs, retryAfter === null ? 0 : readRetryAfter(retryAfter, nowMs))
  return Math.min(Math.max(backoffMs(failures, random), asked), giveUpAfterMs - waitedMs)
}

/** Reads seconds or a date as milliseconds to wait; 0 for a malformed value. */
function readRetryAfter(text: string, nowMs: number): number {
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? 0 : Math.max(0, date - nowMs)
}
