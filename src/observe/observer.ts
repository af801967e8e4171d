import type { Clock } from "../apis/contract.ts"
import type { Span } from "../ports/tracer.ts"
import { once } from "../values/once.ts"
import type { Surface } from "../values/request-events.ts"
import type { AccountSums, Counts, Tally } from "./counts.ts"
import type { RequestFeed } from "./request-feed.ts"
import { creditsOf, type RecordRequest, type RequestEnd, type RequestLog } from "./request-log.ts"

/** Counts and logs requests, and passes them to watchers. */
export type Observer = ReturnType<typeof createObserver>

/** The receivers of requests besides the counts and the log. */
interface ObserverSinks {
  readonly feed: Pick<RequestFeed, "isWatched" | "offer">
  readonly accounts: Pick<AccountSums, "add">
  /** Takes requests while `isOn`. */
  readonly kept: { isOn(): boolean; offer: RequestFeed["offer"] }
}

/** Creates the observer of one process. */
export function createObserver(
  counts: Counts,
  log: RequestLog,
  clock: Clock,
  apiIds: readonly string[],
  { feed, accounts, kept }: ObserverSinks,
) {
  return {
    /** The current time, for `RequestStart.startedMs`. */
    nowMs: () => clock.monotonicMs(),
    /**
     * Returns the function that records the requests of one API on one surface. Call it once, at the start. The tally is made
     * with the first request: there are many, and few are used.
     * @param api the id of an API or operation, `usage` or `none`; null if each request names its APIs in `RequestEnd.apis`
     */
    recorderFor(api: string | null, surface: Surface): RecordRequest {
      const tallyFor = api === null ? tallyByApis(surface) : once(() => counts.tallyOf(api, surface))
      return (start, end) => {
        const durationMs = clock.monotonicMs() - start.startedMs
        const tally = tallyFor(end.apis)
        counts.add(tally, end.status, durationMs)
        const { charged, fault, caller } = end
        if (charged)
          for (const item of charged) {
            counts.addCharged(item.api, surface, item.calls, item.credits)
            if (caller) accounts.add(caller.account.id, item.calls, item.credits)
          }
        if (fault) counts.addFault(tally, fault, clock.now())
        log(tally, start, end, durationMs)
        if (kept.isOn()) kept.offer(tally, start, end, durationMs)
        if (feed.isWatched) feed.offer(tally, start, end, durationMs)
        const span = start.trace?.span
        if (span) endRequestSpan(span, tally, end)
      }
    },
  }

  function tallyByApis(surface: Surface): (apis: readonly string[] | undefined) => Tally {
    const tallyFor = (name: string) => once(() => counts.tallyOf(name, surface))
    const [none, several] = [tallyFor("none"), tallyFor("several")]
    const one = new Map(apiIds.map((id) => [id, tallyFor(id)]))
    return (apis = []) => (apis.length > 1 ? several() : (one.get(apis[0] ?? "") ?? none)())
  }
}

/**
 * Ends a request's span with the fields of its log line, except for the client's address. Successful probes and pages would hide
 * other traces: their spans do not end, and so are not sent.
 */
function endRequestSpan(span: Span, { api, surface }: Tally, end: RequestEnd): void {
  const { status, caller, fault, apis } = end
  if (surface === "unkeyed" && status < 400) return
  span.end(
    {
      "http.response.status_code": status,
      "penknife.api": apis?.join(",") || api,
      "penknife.surface": surface,
      "penknife.credits": creditsOf(end),
      ...(fault && { "penknife.code": fault }),
      ...(caller && { "penknife.account": caller.account.id, "penknife.key": caller.key.id }),
    },
    status >= 500 ? fault || String(status) : null,
  )
}
