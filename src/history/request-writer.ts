import type { Ports } from "../apis/contract.ts"
import type { Tally } from "../observe/counts.ts"
import { creditsOf, type RequestEnd, type RequestStart } from "../observe/request-log.ts"
import type { Log } from "../ports/log.ts"
import { firstRowAt, type KeptRequests, type NewRequest, splitRequestId } from "../store/kept-requests.ts"
import { callSurfaces, type Surface } from "../values/request-events.ts"

/** The two settings that say which requests are kept. */
export interface RequestKeeping {
  /** Days; 0 for none. */
  readonly keepRequests: number
  readonly keepAddresses: boolean
}

interface RequestWriterParts extends Pick<Ports, "clock" | "timer"> {
  readonly requests: Pick<KeptRequests, "add">
  /** It may change. */
  readonly keeping: () => RequestKeeping
  /** A name that no other process has. */
  readonly process: string
  readonly log: Pick<Log, "warn" | "info">
  /** Whether it writes only when it is asked to or has enough for a batch, not by time, as in a test double. */
  readonly isUntimed?: boolean
}

const writeDelayMs = 1_000
/** Requests that are added together: about 2 ms of a data file's time. */
export const batchSize = 1_024
/** A clock that was set back by less does not change the order of requests. */
const mostBackMs = 1_000
/** Rows of a millisecond between those before and after the clock was set back. */
const shiftBy = 256
/** Requests that wait for the store. More are dropped. */
const maxWaiting = 20_000
/** Requests of unknown callers that are kept in a second: these cost nothing, so that someone could fill the disk with them. */
const maxUnknown = 256
const kept: ReadonlySet<Surface> = new Set(callSurfaces)
/** The name of a parameter or header, without the places in it: an own API may name it as it likes. */
const parameterName = /^[A-Za-z_][\w-]{0,39}/

/** Creates the writer of requests to the store. It adds them a second after the first that waits, or when it has enough. */
export function createRequestWriter(parts: RequestWriterParts) {
  const { requests, keeping, process, clock, timer, log, isUntimed = false } = parts
  let waiting: NewRequest[] = []
  let lastRow = 0
  let shift = 0
  let unknown = 0
  let dropped = 0
  let isFailing = false
  let cancel: (() => void) | null = null
  let writing: Promise<void> = Promise.resolve()
  let isQueued = false

  function offer(tally: Tally, start: RequestStart, end: RequestEnd, durationMs: number): void {
    const caller = end.caller ?? null
    // In the portal, only calls of APIs have a caller.
    if (!kept.has(tally.surface) && !(tally.surface === "portal" && caller)) return
    if (!isUntimed) cancel ??= timer.after(writeDelayMs, () => void write())
    if (waiting.length >= maxWaiting || (caller === null && !isUntimed && ++unknown > maxUnknown)) {
      dropped++
      return
    }
    const atMs = clock.now()
    // Rows of the same time have other numbers after the clock was set back.
    if (firstRowAt(atMs + mostBackMs) < lastRow) shift = (shift + shiftBy) % firstRowAt(1)
    const first = firstRowAt(atMs) + shift
    lastRow = first > lastRow || first < lastRow - firstRowAt(mostBackMs) ? first : lastRow + 1
    waiting.push({
      row: lastRow,
      requestId: start.requestId,
      ownId: start.hasOwnId ? splitRequestId(start.requestId) : null,
      surface: tally.surface,
      api: end.apis?.join(",") || tally.api,
      status: end.status,
      fault: end.fault ?? null,
      parameter: (end.parameter && parameterName.exec(end.parameter)?.[0]) ?? null,
      account: caller?.account.id ?? null,
      key: caller?.key.id ?? null,
      credits: creditsOf(end),
      isReplay: end.isReplay === true,
      ms: durationMs,
      address: keeping().keepAddresses ? start.address() : null,
    })
    if (waiting.length % batchSize === 0) void writeNext()
  }

  /**
   * Writes all that waits, after what is being written: nothing must be sent twice at the same time. At most one is queued,
   * since attempts can take seconds each when the store does not answer. Never rejects.
   */
  function writeNext(): Promise<void> {
    if (isQueued) return writing
    isQueued = true
    writing = writing.then(() => {
      isQueued = false
      return attempt()
    })
    return writing
  }

  async function writeWaiting(): Promise<void> {
    // Requests that come meanwhile are written the next time.
    for (let left = waiting.length; left > 0; ) {
      // Each batch has a transaction and a turn of its own.
      await timer.turn()
      const batch = waiting.slice(0, Math.min(left, lengthOfBatch(waiting)))
      await requests.add({ process, requests: batch })
      waiting = waiting.slice(batch.length)
      left -= batch.length
    }
  }

  async function attempt(): Promise<void> {
    try {
      await writeWaiting()
      if (isFailing) log.info("requests are written again", {})
      isFailing = false
    } catch (cause) {
      if (!isFailing)
        log.warn("requests not written; those in memory are written later", { cause: String(cause) })
      isFailing = true
      cancel ??= timer.after(writeDelayMs, () => void write())
    }
  }

  /** Never rejects. */
  function write(): Promise<void> {
    cancel?.()
    cancel = null
    unknown = 0
    return writeNext()
  }

  return {
    /** Takes a finished request. */
    offer,
    /** Writes what waits. Resolves also when the store does not answer. */
    write,
    /** Writes the rest. */
    async stop() {
      await write()
      cancel?.()
      if (waiting.length > 0) log.warn("requests of the last seconds lost", { requests: waiting.length })
    },
    /** Requests that were dropped, since there were too many. */
    dropped: () => dropped,
  }
}

/** A batch ends where the clock was set back. */
function lengthOfBatch(requests: readonly NewRequest[]): number {
  const back = requests.findIndex(({ row }, n) => n > 0 && row < (requests[n - 1]?.row ?? 0))
  return Math.min(back < 0 ? requests.length : back, batchSize)
}
