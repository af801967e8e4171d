import type { Subscription } from "../admin/parts.ts"
import type { Timer } from "../apis/contract.ts"
import { Fault } from "../call/fault.ts"
import { createWatch } from "../observe/request-feed.ts"
import { override } from "../values/stand-in.ts"
import { toIso } from "../values/time-text.ts"
import type { MockState } from "./state.ts"

const maxViews = 16
const maxListed = 50

/** The contents of a page. Lists begin with the oldest. */
export type View = Awaited<ReturnType<typeof toView>>

async function toView(state: MockState, sessions: readonly string[]) {
  const { records } = state.journal.records()
  return {
    ...{ sessions, apis: state.apis.map(({ definition }) => definition.id) },
    now: toIso(state.clock.now()),
    clock_runs: state.clockRunsOn,
    faults: state.faults.list(),
    profile: state.faults.profile(),
    requests: records.slice(-maxListed).map((record) => record.unpack().entry),
    notices: (await state.notices()).slice(-maxListed),
    mails: (await state.mails()).slice(-maxListed),
    zone: state.dns.source,
  }
}

export type Views = ReturnType<typeof createViews>

/** Shows a state to pages, soon after it has changed. A slow page misses what was in between. */
export function createViews(state: MockState, timer: Timer, sessions: () => readonly string[]) {
  const watches = new Set<ReturnType<typeof createWatch<null>>>()
  return {
    /** Call it after each request and each change. */
    changed(): void {
      for (const watch of watches) watch.offer(() => null)
    },
    /** Begins to watch, and with the present view. Throws a Fault if too many watch. */
    watch(onReady: () => void): Subscription {
      if (watches.size >= maxViews)
        throw new Fault("rateLimited", `Only ${maxViews} pages can be live. Close one.`)
      const watch = createWatch<null>(onReady, timer, () => watches.delete(watch))
      watches.add(watch)
      watch.offer(() => null)
      const take = async () => ({
        events: watch.take().events.length > 0 && !watch.isOver ? [await toView(state, sessions())] : [],
        lost: 0,
      })
      return override<Subscription>(watch, { take })
    },
    end(): void {
      for (const watch of watches) watch.close()
    },
  }
}
