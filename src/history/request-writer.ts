import type { Clock, Timer } from "../apis/contract.ts"
import type { Tally } from "../observe/counts.ts"
import { creditsOf, type RequestEnd, type RequestStart } from "../observe/request-record.ts"
import type { Log } from "../ports/log.ts"
import type { KeptRequests } from "../store/kept-requests.ts"
import {
  type BlockBuilder,
  blockSize,
  createBlockBuilder,
  maxSpanMs,
  type RequestBlock,
} from "../store/request-block.ts"
import { callSurfaces, type Surface } from "../values/request-events.ts"

/** Which requests are kept: two of the settings. */
export interface RequestKeeping {
  /** Days; 0 for none. */
  readonly keepRequests: number
  readonly keepAddresses: boolean
}

interface RequestWriterParts {
  readonly requests: Pick<KeptRequests, "add" | "index">
  /** It may change. */
  readonly keeping: () => RequestKeeping
  /** A name that no other process has. */
  readonly process: string
  readonly clock: Clock
  readonly timer: Timer
  readonly log: Pick<Log, "warn" | "info">
  /**
   * Whether it writes only when it is asked to or a block is full, not by time: in a test double, blocks are then the same on
   * every run.
   */
  readonly isUntimed?: boolean
}

const writeDelayMs = 1_000
/** A test double keeps a number of requests and forgets a block at a time, so it has small ones. */
const smallBlockSize = 256
/** Requests that wait for the store. More are dropped. */
const maxWaiting = 20_000
/** Requests of unknown callers that are kept in a second: these cost nothing, so that someone could fill the disk with them. */
const maxUnknown = 256
/** After so many blocks the store is asked to index them. It does so if there are many. */
const blocksUntilIndex = 16

const kept: ReadonlySet<Surface> = new Set(callSurfaces)
/** The name of a parameter or header, without the places in it: an own API may name it as it likes. */
const parameterName = /^[A-Za-z_][\w-]{0,39}/

/**
 * Creates the writer of requests to the store. It writes a block when it is full or a second long, and a second after the first
 * request that waits.
 */
export function createRequestWriter(parts: RequestWriterParts) {
  const { requests, keeping, process, clock, timer, log, isUntimed = false } = parts
  const size = isUntimed ? smallBlockSize : blockSize
  const waiting: RequestBlock[] = []
  let open: BlockBuilder | null = null
  let openedMs = 0
  let waitingRequests = 0
  let unknown = 0
  let dropped = 0
  let isFailing = false
  let lastMs = 0
  let names = 0
  let cancel: (() => void) | null = null
  let writing: Promise<void> = Promise.resolve()
  let isQueued = false
  let unindexed = 0
  let indexing: Promise<void> | null = null

  function offer(tally: Tally, start: RequestStart, end: RequestEnd, durationMs: number): void {
    const caller = end.caller ?? null
    // In the portal, only calls of APIs have a caller.
    if (!kept.has(tally.surface) && !(tally.surface === "portal" && caller)) return
    if (!isUntimed) cancel ??= timer.after(writeDelayMs, () => void write())
    if (waitingRequests >= maxWaiting || (caller === null && !isUntimed && ++unknown > maxUnknown)) {
      dropped++
      return
    }
    const atMs = clock.now()
    // The clock may be set back.
    if (open && (atMs < openedMs || atMs - open.fromMs > maxSpanMs / 2)) seal(open)
    open ??= createBlockBuilder(atMs)
    openedMs = atMs
    waitingRequests++
    open.add({
      atMs,
      requestId: start.requestId,
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
    if (open.count() >= size) seal(open)
  }

  /** Ends a block at a time that no earlier one of this name has. With a clock that was set back, the name is another one. */
  function seal(block: BlockBuilder): void {
    open = null
    const atMs = Math.max(openedMs, lastMs + 1)
    const isLate = atMs - openedMs > maxSpanMs / 2
    if (isLate) names++
    lastMs = isLate ? openedMs : atMs
    waiting.push(block.end(names === 0 ? process : `${process}.${names}`, lastMs))
    void writeNext()
  }

  /**
   * Writes all that waits, after what is being written: a block must not be sent twice at the same time. At most one is queued,
   * since attempts can take seconds each when the store does not answer.
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
    // A full block takes up to two milliseconds in a data file, so each has a transaction and a turn of its own.
    for (let block = waiting[0]; block; block = waiting[0]) {
      await timer.turn()
      await requests.add([block])
      waiting.shift()
      waitingRequests -= block.count
      unindexed++
    }
  }

  async function attempt(): Promise<void> {
    try {
      await writeWaiting()
      if (isFailing) log.info("requests are written again", {})
      isFailing = false
      if (unindexed >= blocksUntilIndex) startIndexing()
    } catch (cause) {
      if (!isFailing)
        log.warn("requests not written; those in memory are written later", { cause: String(cause) })
      isFailing = true
      cancel ??= timer.after(writeDelayMs, () => void write())
    }
  }

  /** Searches and later writes do not wait for it. */
  function startIndexing(): void {
    unindexed = 0
    indexing ??= requests
      .index(clock.now())
      .catch((cause) => log.warn("requests not indexed; this is tried again", { cause: String(cause) }))
      .finally(() => {
        indexing = null
      })
  }

  function write(): Promise<void> {
    cancel?.()
    cancel = null
    unknown = 0
    if (open) seal(open)
    return writeNext()
  }

  return {
    /** Whether requests are kept. */
    isOn: () => keeping().keepRequests > 0,
    /** Takes a finished request. */
    offer,
    /** Writes what waits. Resolves also when the store does not answer. */
    write,
    /** Writes the rest. */
    async stop() {
      await write()
      await indexing
      cancel?.()
      if (waitingRequests > 0) log.warn("requests of the last seconds lost", { requests: waitingRequests })
    },
    /** Requests that were dropped, since there were too many. */
    dropped: () => dropped,
  }
}
