import { createArrivingBodies } from "./arriving-bodies.ts"
import { httpLimits } from "./limits.ts"

/** The calls that a service works on, counted by itself: the runtime forgets a call as soon as its client hangs up. */
export type CallsInProgress = ReturnType<typeof createCallsInProgress>

export function createCallsInProgress() {
  let count = 0
  let waiting: (() => void)[] = []
  return {
    /** Requests that wait for their client to send more. They do no work, so they do not count as calls in progress. */
    awaited: 0,
    arriving: createArrivingBodies(httpLimits.arrivingBytes),
    /** How many there are, those that wait for their client's body included. */
    get count() {
      return count
    },
    begin(): void {
      count++
    },
    end(): void {
      if (--count > 0) return
      const resolvers = waiting
      waiting = []
      for (const resolve of resolvers) resolve()
    },
    /** Resolves when no call is in progress. */
    ended: (): Promise<void> =>
      count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  }
}
