/** Runs jobs in a limited number of slots, one job for each key. */
export interface FairQueue<Value> {
  /**
   * The value of `job`, or of an unfinished job with the same key; null when `signal` aborts before. Calls with the same
   * signal count as one caller, a call without a signal as another caller each time.
   */
  run(key: string, job: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value | null>
}

export interface FairQueueOptions {
  /** Jobs in flight at a time, of all callers together. */
  readonly slots: number
  /** Jobs in flight at a time for one caller. */
  readonly slotsPerCaller: number
}

interface Job<Value> {
  readonly key: string
  readonly run: () => Promise<Value>
  readonly result: PromiseWithResolvers<Value>
  waiters: number
  isStarted: boolean
  /** The callers in whose queues the job is. */
  readonly queuedFor: Set<Caller<Value>>
}

interface Caller<Value> {
  readonly queue: Set<Job<Value>>
  inFlight: number
}

/** A caller with fewer jobs in flight than this may use the reserved slots, too. */
const modestInFlight = 2

/**
 * Each caller has a queue, and the callers take turns. Half of the slots is reserved for callers with few jobs in flight, so
 * that one caller's many unanswered questions do not delay the others. When all who wait for a job give up, it goes on if
 * it is in flight, since its answer will be cached; a queued one is dropped.
 */
export function createFairQueue<Value>({ slots, slotsPerCaller }: FairQueueOptions): FairQueue<Value> {
  const jobs = new Map<string, Job<Value>>()
  const callers = new WeakMap<AbortSignal, Caller<Value>>()
  /** Callers with queued jobs, in the order of their turns. */
  const turns = new Set<Caller<Value>>()
  const sharedSlots = Math.ceil(slots / 2)
  let inFlight = 0

  return {
    run(key, run, signal) {
      const caller = callerOf(signal)
      const job = join(key, run, caller)
      const { promise } = job.result
      if (!signal) return promise
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          leave(job, caller)
          resolve(null)
        }
        signal.addEventListener("abort", onAbort, { once: true })
        promise.finally(() => signal.removeEventListener("abort", onAbort)).then(resolve, reject)
      })
    },
  }

  function callerOf(signal: AbortSignal | undefined): Caller<Value> {
    const known = signal && callers.get(signal)
    if (known) return known
    const caller = { queue: new Set<Job<Value>>(), inFlight: 0 }
    if (signal) callers.set(signal, caller)
    return caller
  }

  function join(key: string, run: () => Promise<Value>, caller: Caller<Value>): Job<Value> {
    const job = jobs.get(key) ?? addJob(key, run)
    job.waiters += 1
    if (job.isStarted) return job
    if (mayStart(caller)) start(job, caller)
    else {
      // A job that another caller has queued gets this caller's turns as well.
      job.queuedFor.add(caller)
      caller.queue.add(job)
      turns.add(caller)
    }
    return job
  }

  function addJob(key: string, run: () => Promise<Value>): Job<Value> {
    const result = Promise.withResolvers<Value>()
    const job = { key, run, result, waiters: 0, isStarted: false, queuedFor: new Set<Caller<Value>>() }
    jobs.set(key, job)
    return job
  }

  function mayStart(caller: Caller<Value>): boolean {
    const open = caller.inFlight < modestInFlight ? slots : sharedSlots
    return inFlight < open && caller.inFlight < slotsPerCaller
  }

  function start(job: Job<Value>, caller: Caller<Value>): void {
    inFlight += 1
    caller.inFlight += 1
    job.isStarted = true
    for (const each of job.queuedFor) dequeue(job, each)
    job
      .run()
      .finally(() => {
        inFlight -= 1
        caller.inFlight -= 1
        jobs.delete(job.key)
        fillSlots()
      })
      .then(job.result.resolve, job.result.reject)
  }

  function fillSlots(): void {
    for (const caller of turns) {
      if (inFlight >= slots) return
      const [next] = caller.queue
      if (next === undefined || !mayStart(caller)) continue
      // The loop comes back to a caller that is moved to the end.
      turns.delete(caller)
      turns.add(caller)
      start(next, caller)
    }
  }

  function leave(job: Job<Value>, caller: Caller<Value>): void {
    job.waiters -= 1
    if (job.isStarted) return
    dequeue(job, caller)
    if (job.waiters === 0) jobs.delete(job.key)
  }

  function dequeue(job: Job<Value>, caller: Caller<Value>): void {
    job.queuedFor.delete(caller)
    caller.queue.delete(job)
    if (caller.queue.size === 0) turns.delete(caller)
  }
}
