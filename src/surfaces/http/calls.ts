/** The calls that a service works on, counted by itself: the runtime forgets a call as soon as its client hangs up. */
export interface CallsInProgress {
  /** How many there are, those that wait for their client's body included. */
  readonly count: number
  /** Requests that wait for their client to send more. They do no work, so they do not count as calls in progress. */
  awaited: number
  begin(): void
  end(): void
  /** Resolves when no call is in progress. */
  ended(): Promise<void>
}

export function createCallsInProgress(): CallsInProgress {
  let count = 0
  let waiting: (() => void)[] = []
  return {
    awaited: 0,
    get count() {
      return count
    },
    begin() {
      count++
    },
    end() {
      if (--count > 0) return
      const resolvers = waiting
      waiting = []
      for (const resolve of resolvers) resolve()
    },
    ended: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  }
}
