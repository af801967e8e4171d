import type { Ports, Timer } from "../apis/contract.ts"
import { createIsoTime } from "../ports/clock.ts"
import type { RequestEvent, RequestFilter, Surface } from "../values/request-events.ts"
import type { Tally } from "./counts.ts"
import { creditsOf, type RequestEnd, type RequestStart } from "./request-log.ts"

/** The requests since the watcher's last `take`. */
export interface RequestBatch {
  readonly events: readonly RequestEvent[]
  /** How many more there were for which there was no room. */
  readonly lost: number
}

/** One watcher of requests. */
export interface RequestWatch {
  /** Returns the requests since the last call. */
  take(): RequestBatch
  /** Whether the feed has been closed: nothing more will come. */
  readonly isOver: boolean
  end(): void
}

/** How long requests are gathered, since a message for each would cost more than the request. */
const gatherMs = 250
/** Requests that wait for a watcher. With the time above, one gets 1,000 a second at most. */
export const maxWaitingEvents = 250
/** The most watches: of this process, and of other processes that it works for. */
export const maxWatches = 20

interface Watch extends ReturnType<typeof createWatch<RequestEvent>> {
  readonly matches: MatchRequest
}

/** Passes finished requests to watchers. Nothing is kept for later ones. */
export type RequestFeed = ReturnType<typeof createRequestFeed>

/** Creates the feed of one process. */
export function createRequestFeed({ clock, timer }: Pick<Ports, "clock" | "timer">) {
  const isoTime = createIsoTime(clock)
  const watches = new Map<RequestWatch, Watch>()
  let isClosed = false

  const feed = {
    /** Whether anyone watches. While nobody does, a request costs only this look. */
    isWatched: false,
    offer(tally: Tally, start: RequestStart, end: RequestEnd, durationMs: number) {
      let made: RequestEvent | undefined
      const makeEvent = () => {
        made ??= toEvent(isoTime(), tally, start, end, durationMs)
        return made
      }
      for (const watch of watches.values()) if (watch.matches(tally, end)) watch.offer(makeEvent)
    },
    /**
     * Begins to watch.
     * @param onReady called soon after requests have come, and when the feed closes; then call `take`
     * @returns null if there are too many watchers
     */
    watch(filter: RequestFilter, onReady: () => void): RequestWatch | null {
      if (watches.size >= maxWatches) return null
      const begun = createWatch<RequestEvent>(onReady, timer, () => {
        watches.delete(watch)
        feed.isWatched = watches.size > 0
      })
      const watch: Watch = Object.assign(begun, { matches: toMatch(filter) })
      if (isClosed) {
        watch.end()
        return watch
      }
      watches.set(watch, watch)
      feed.isWatched = true
      return watch
    },
    /** Adds requests of another process to a watch. */
    add(watch: RequestWatch, batch: RequestBatch) {
      watches.get(watch)?.add(batch)
    },
    /** Ends all watches. */
    close() {
      isClosed = true
      for (const watch of watches.values()) watch.close()
    },
  }
  return feed
}

/** Gathers events for one watcher, who is called soon after they have come and when the watch is closed. */
export function createWatch<Event>(onReady: () => void, timer: Timer, onEnd: () => void) {
  let events: Event[] = []
  let lost = 0
  let isOver = false
  let cancel: (() => void) | null = null

  function gather(): void {
    cancel ??= timer.after(gatherMs, () => {
      cancel = null
      onReady()
    })
  }

  function end(): void {
    isOver = true
    cancel?.()
    onEnd()
  }

  return {
    get isOver() {
      return isOver
    },
    offer(makeEvent: () => Event) {
      if (events.length < maxWaitingEvents) events.push(makeEvent())
      else lost++
      gather()
    },
    add(batch: { readonly events: readonly Event[]; readonly lost: number }) {
      const room = maxWaitingEvents - events.length
      events.push(...batch.events.slice(0, room))
      lost += batch.lost + Math.max(0, batch.events.length - room)
      gather()
    },
    take() {
      const batch = { events, lost }
      events = []
      lost = 0
      return batch
    },
    end,
    close() {
      end()
      onReady()
    },
  }
}

function toEvent(at: string, tally: Tally, start: RequestStart, end: RequestEnd, ms: number): RequestEvent {
  return {
    at,
    request_id: start.requestId,
    surface: tally.surface,
    api: end.apis?.join(",") || tally.api,
    status: end.status,
    fault: end.fault ?? null,
    account: end.caller?.account.id ?? null,
    key: end.caller?.key.id ?? null,
    credits: creditsOf(end),
    ms: Math.round(ms * 1_000) / 1_000,
    address: start.address(),
  }
}

/** Whether a finished request is selected. */
type MatchRequest = (tally: Tally, end: RequestEnd) => boolean

/** Makes the check of a filter. */
function toMatch({ status, surface, api, account, key, fault }: RequestFilter): MatchRequest {
  const statuses = toSet(status)
  const surfaces = toSet(surface)
  const apis = toSet(api)
  const accounts = toSet(account)
  const keys = toSet(key)
  const faults = toSet(fault)
  return (tally, end) => {
    if (surfaces ? !surfaces.has(tally.surface) : isLeftOut(tally.surface, end.status)) return false
    const statusClass = `${Math.floor(end.status / 100)}xx`
    if (statuses && !statuses.has(String(end.status)) && !statuses.has(statusClass)) return false
    if (apis && !apis.has(tally.api) && !end.apis?.some((id) => apis.has(id))) return false
    if (accounts && !accounts.has(end.caller?.account.id ?? "")) return false
    if (keys && !keys.has(end.caller?.key.id ?? "")) return false
    return faults === null || faults.has(end.fault ?? "")
  }
}

function toSet(values: readonly string[] | undefined): ReadonlySet<string> | null {
  return values && values.length > 0 ? new Set(values) : null
}

function isLeftOut(surface: Surface, status: number): boolean {
  return surface === "admin" || surface === "portal" || (surface === "unkeyed" && status < 400)
}
