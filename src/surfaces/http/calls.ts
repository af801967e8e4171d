import type { Timer } from "../../apis/contract.ts"
import { createArrivingBodies } from "./read/intake.ts"
import { httpLimits } from "./read/limits.ts"

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

/** Without a request for this long, the connections that are still open are taken for idle. */
const quietMs = 250

/** Clients that always have a request in progress get their last answer well within this time. */
const longestMs = 1_000

/** How a server parts with its clients when it stops: each connection is closed after an answer that says so. */
export type Closing = ReturnType<typeof createClosing>

/** Creates the state of a server that has not begun to close. */
export function createClosing(timer: Timer) {
  let isBegun = false
  const closing = {
    /** Whether answers have to say that the connection will be closed, and `/ready` that no more calls should be sent. */
    get isBegun() {
      return isBegun
    },
    /** Requests that came since then. */
    requests: 0,
    /** Begins. Resolves after `ms`, in which proxies find out, or when `ends` resolves. */
    async drain(ms: number, ends: Promise<void>): Promise<void> {
      isBegun = true
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancel = timer.after(ms, resolve)
      await Promise.race([promise, ends])
      cancel()
    },
    /** Begins. Resolves when no request has come for 250 ms, after a second at most. */
    async begin(): Promise<void> {
      isBegun = true
      let before = -1
      for (let waitedMs = 0; waitedMs < longestMs && closing.requests > before; waitedMs += quietMs) {
        before = closing.requests
        await new Promise<void>((resolve) => timer.after(quietMs, resolve))
      }
    },
  }
  return closing
}
