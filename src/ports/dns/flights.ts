/** Work under way by key: who asks for what is already being fetched waits for the same answer. */
export interface Flights<Value> {
  /**
   * The value of `run`, or of the run for the same key that is under way; null when `signal` aborts before. Runs that are
   * joined with one signal belong to one caller; without a signal each has a caller of its own.
   */
  join(key: string, run: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value | null>
}

export interface FlightsOptions {
  /** Runs at a time, of all callers together. */
  readonly limit: number
  /** Runs at a time of one caller. */
  readonly limitPerCaller: number
}

interface Flight<Value> {
  readonly key: string
  readonly run: () => Promise<Value>
  readonly landing: PromiseWithResolvers<Value>
  passengers: number
  hasBegun: boolean
  /** The callers in whose lines it stands. */
  readonly waitingFor: Set<Caller<Value>>
}

interface Caller<Value> {
  readonly line: Set<Flight<Value>>
  airborne: number
}

/** As long as a caller has fewer runs under way than this, the half of the places that is kept back is open to it. */
const share = 2

/**
 * Runs within the limits; the others wait in line, one line for each caller, and the callers take turns. Half of all
 * places is kept for those who have next to nothing under way, so that callers with hundreds of questions that nobody
 * answers make nobody else wait for as long. A run that has begun is finished even when everyone has left, since its
 * answer will be kept; one in line is dropped then.
 */
export function createFlights<Value>({ limit, limitPerCaller }: FlightsOptions): Flights<Value> {
  const byKey = new Map<string, Flight<Value>>()
  const callers = new WeakMap<AbortSignal, Caller<Value>>()
  /** Callers with a line, the one whose turn is next first. */
  const turns = new Set<Caller<Value>>()
  const shared = Math.ceil(limit / 2)
  let airborne = 0

  function mayTakeOff(caller: Caller<Value>): boolean {
    return airborne < (caller.airborne < share ? limit : shared) && caller.airborne < limitPerCaller
  }

  function takeOff(flight: Flight<Value>, caller: Caller<Value>): void {
    airborne += 1
    caller.airborne += 1
    flight.hasBegun = true
    leaveLines(flight)
    flight
      .run()
      .finally(() => {
        airborne -= 1
        caller.airborne -= 1
        byKey.delete(flight.key)
        fillPlaces()
      })
      .then(flight.landing.resolve, flight.landing.reject)
  }

  function fillPlaces(): void {
    for (const caller of turns) {
      if (airborne >= limit) return
      const [next] = caller.line
      if (next === undefined || !mayTakeOff(caller)) continue
      // Goes to the end, and comes up again in this very loop should there be places for all.
      turns.delete(caller)
      turns.add(caller)
      takeOff(next, caller)
    }
  }

  function standInLine(flight: Flight<Value>, caller: Caller<Value>): void {
    flight.waitingFor.add(caller)
    caller.line.add(flight)
    turns.add(caller)
  }

  function leaveLines(flight: Flight<Value>): void {
    for (const caller of flight.waitingFor) stepOut(flight, caller)
  }

  function leave(flight: Flight<Value>, caller: Caller<Value>): void {
    flight.passengers -= 1
    if (flight.hasBegun) return
    stepOut(flight, caller)
    if (flight.passengers === 0) byKey.delete(flight.key)
  }

  function stepOut(flight: Flight<Value>, caller: Caller<Value>): void {
    flight.waitingFor.delete(caller)
    caller.line.delete(flight)
    if (caller.line.size === 0) turns.delete(caller)
  }

  function callerOf(signal: AbortSignal | undefined): Caller<Value> {
    const known = signal && callers.get(signal)
    if (known) return known
    const caller = { line: new Set<Flight<Value>>(), airborne: 0 }
    if (signal) callers.set(signal, caller)
    return caller
  }

  function board(key: string, run: () => Promise<Value>, caller: Caller<Value>): Flight<Value> {
    const known = byKey.get(key)
    const flight = known ?? {
      key,
      run,
      landing: Promise.withResolvers<Value>(),
      passengers: 0,
      hasBegun: false,
      waitingFor: new Set<Caller<Value>>(),
    }
    flight.passengers += 1
    if (!known) byKey.set(key, flight)
    // Waiting behind another caller's hundreds would be no turn of one's own.
    else if (flight.hasBegun) return flight
    if (mayTakeOff(caller)) takeOff(flight, caller)
    else standInLine(flight, caller)
    return flight
  }

  return {
    join(key, run, signal) {
      const caller = callerOf(signal)
      const flight = board(key, run, caller)
      const { promise } = flight.landing
      if (!signal) return promise
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          leave(flight, caller)
          resolve(null)
        }
        signal.addEventListener("abort", onAbort, { once: true })
        const onLanding = () => signal.removeEventListener("abort", onAbort)
        promise.finally(onLanding).then(resolve, reject)
      })
    },
  }
}
