import type { Clock } from "../apis/contract.ts"
import type { Trail } from "../call/trail.ts"
import type { Counts, Surface, Tally } from "./counts.ts"
import type { RequestLog } from "./request-log.ts"

/** A request as it began. */
export interface RequestStart {
  readonly requestId: string
  /** The client's IP address. */
  readonly address: () => string
  /** Of the observer's {@link Observer.nowMs}. */
  readonly startedMs: number
}

/** How it ended. */
export interface RequestEnd extends Partial<Trail> {
  readonly status: number
  /** Ids of the APIs that a request of several asked, each once. */
  readonly apis?: readonly string[]
}

/** Takes note of one request. Made once per API and surface. */
export type Watch = (began: RequestStart, ended: RequestEnd) => void

/** Counts and logs requests. */
export interface Observer {
  /** For the start of a request. */
  nowMs(): number
  /** @param api the id of an API, or what stands in its place; null where {@link RequestEnd.apis} says it */
  watch(api: string | null, surface: Surface): Watch
}

/** Where no API is in question, and where a request asks more than one. */
const noApi = "none"
const severalApis = "several"

export function createObserver(
  counts: Counts,
  log: RequestLog,
  clock: Clock,
  apiIds: readonly string[],
): Observer {
  return {
    nowMs: () => clock.monotonicMs(),
    watch(api, surface) {
      const tallyFor = api === null ? tallyByApis(surface) : constant(counts.tallyOf(api, surface))
      return (began, ended) => {
        const durationMs = clock.monotonicMs() - began.startedMs
        const tally = tallyFor(ended.apis)
        counts.add(tally, ended.status, durationMs)
        const { charged, fault } = ended
        if (charged)
          for (const item of charged) counts.addCharged(item.api, surface, item.calls, item.credits)
        if (fault) counts.addFault(fault)
        log(tally, began, ended, durationMs)
      }
    },
  }

  function tallyByApis(surface: Surface): (apis: readonly string[] | undefined) => Tally {
    const none = counts.tallyOf(noApi, surface)
    const several = counts.tallyOf(severalApis, surface)
    const one = new Map(apiIds.map((id) => [id, counts.tallyOf(id, surface)]))
    return (apis = []) => (apis.length > 1 ? several : (one.get(apis[0] ?? "") ?? none))
  }
}

function constant<T>(value: T): () => T {
  return () => value
}
