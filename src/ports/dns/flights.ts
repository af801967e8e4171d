/** Work under way by key: who asks for what is already being fetched waits for the same answer. */
export interface Flights<Value> {
  /** The value of `run`, or of the run for the same key that is under way; null when `signal` aborts before. */
  join(key: string, run: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value | null>
}

interface Flight<Value> {
  readonly key: string
  readonly run: () => Promise<Value>
  readonly landing: PromiseWithResolvers<Value>
  passengers: number
}

/**
 * At most `limit` runs at a time, the others wait in line. A run that has begun is finished even when everyone has
 * left, since its answer will be kept; one in line is dropped then.
 */
export function createFlights<Value>(limit: number): Flights<Value> {
  const byKey = new Map<string, Flight<Value>>()
  const line = new Set<Flight<Value>>()
  let airborne = 0

  function takeOff(flight: Flight<Value>): void {
    airborne += 1
    flight
      .run()
      .finally(() => {
        airborne -= 1
        byKey.delete(flight.key)
        const [next] = line
        if (!next) return
        line.delete(next)
        takeOff(next)
      })
      .then(flight.landing.resolve, flight.landing.reject)
  }

  function book(key: string, run: () => Promise<Value>): Flight<Value> {
    const flight = { key, run, landing: Promise.withResolvers<Value>(), passengers: 0 }
    byKey.set(key, flight)
    if (airborne < limit) takeOff(flight)
    else line.add(flight)
    return flight
  }

  function leave(flight: Flight<Value>): void {
    flight.passengers -= 1
    if (flight.passengers === 0 && line.delete(flight)) byKey.delete(flight.key)
  }

  return {
    join(key, run, signal) {
      const flight = byKey.get(key) ?? book(key, run)
      flight.passengers += 1
      const { promise } = flight.landing
      if (!signal) return promise
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          leave(flight)
          resolve(null)
        }
        signal.addEventListener("abort", onAbort, { once: true })
        const onLanding = () => signal.removeEventListener("abort", onAbort)
        promise.finally(onLanding).then(resolve, reject)
      })
    },
  }
}
