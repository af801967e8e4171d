import type { Timer } from "../../apis/contract.ts"

/** The numbers of slots, and the timer whose turns they follow. */
interface FairQueueOptions {
  /** Jobs in flight at a time, of all callers together. */
  readonly slots: number
  /** Jobs in flight at a time for one caller. */
  readonly slotsPerCaller: number
  /** Jobs in flight at a time for all callers of one account. */
  readonly slotsPerAccount: number
  /** Jobs in flight at a time that ask servers of one place, for all callers together. */
  readonly slotsPerPlace: number
  /** Jobs that start in one turn of the event loop. */
  readonly startsPerTurn: number
  readonly timer: Pick<Timer, "turn">
}

/** The subject of a job: jobs with the same key are one. */
interface Asked {
  readonly key: string
  readonly place: string
}

interface Job<Value> extends Asked {
  readonly run: () => Promise<Value>
  readonly result: PromiseWithResolvers<Value>
  waiters: number
  isStarted: boolean
  /** The callers in whose queues the job is. */
  readonly queuedFor: Set<Caller<Value>>
}

interface Caller<Value> {
  readonly id: object
  readonly account: Account<Value>
  readonly queue: Set<Job<Value>>
  inFlight: number
}

interface Account<Value> {
  readonly id: string | object
  /** Callers with jobs, in the order of their turns. */
  readonly callers: Map<object, Caller<Value>>
  inFlight: number
}

/** An account with fewer jobs in flight than this may use the reserved slots, too. */
const modestInFlight = 2

/**
 * Runs jobs in a limited number of slots, one job for each key. Each caller has a queue. The accounts take turns, and so do the
 * callers of each. Half of the slots is reserved for accounts with few jobs in flight, so that one account's many unanswered
 * questions do not delay the others. When all who wait for a job give up, it goes on if it is in flight, since its answer will be
 * cached; a queued one is dropped.
 */
export function createFairQueue<Value>(options: FairQueueOptions) {
  const { slots, slotsPerCaller, slotsPerAccount, slotsPerPlace, startsPerTurn, timer } = options
  const jobs = new Map<string, Job<Value>>()
  /** Accounts with jobs, in the order of their turns. */
  const accounts = new Map<string | object, Account<Value>>()
  const inFlightAt = new Map<string, number>()
  const sharedSlots = Math.ceil(slots / 2)
  let inFlight = 0
  let startedInTurn = 0

  return {
    /**
     * The value of `run`, or of an unfinished job with the same key; null when `signal` aborts before. Jobs with the same signal
     * belong to one caller, and callers with the same account take their turns within those of the account. A job without a
     * signal has a caller for itself, and a caller without an account counts as an account.
     * @param asked `place` names whose servers the job asks
     */
    run({ key, place }: Asked, run: () => Promise<Value>, signal: AbortSignal | undefined, account?: string) {
      const caller = callerOf(signal ?? {}, account)
      const job = join({ key, place }, run, caller)
      const { promise } = job.result
      if (!signal) return promise
      return new Promise<Value | null>((resolve, reject) => {
        const onAbort = () => {
          leave(job, caller)
          resolve(null)
        }
        signal.addEventListener("abort", onAbort, { once: true })
        promise.finally(() => signal.removeEventListener("abort", onAbort)).then(resolve, reject)
      })
    },
  }

  function callerOf(id: object, accountId: string | object = id): Caller<Value> {
    const account = accounts.get(accountId) ?? { id: accountId, callers: new Map(), inFlight: 0 }
    return account.callers.get(id) ?? { id, account, queue: new Set(), inFlight: 0 }
  }

  function keep(caller: Caller<Value>): void {
    accounts.set(caller.account.id, caller.account)
    caller.account.callers.set(caller.id, caller)
  }

  function forgetIfIdle({ id, account, queue, inFlight }: Caller<Value>): void {
    if (inFlight > 0 || queue.size > 0) return
    account.callers.delete(id)
    if (account.callers.size === 0) accounts.delete(account.id)
  }

  function moveToEnd(caller: Caller<Value>): void {
    accounts.delete(caller.account.id)
    caller.account.callers.delete(caller.id)
    keep(caller)
  }

  function join(asked: Asked, run: () => Promise<Value>, caller: Caller<Value>): Job<Value> {
    const job = jobs.get(asked.key) ?? addJob(asked, run)
    job.waiters += 1
    if (job.isStarted) return job
    if (mayStart(job, caller)) start(job, caller)
    else {
      // A job that another caller has queued gets this caller's turns as well.
      job.queuedFor.add(caller)
      caller.queue.add(job)
      keep(caller)
    }
    return job
  }

  function addJob(asked: Asked, run: () => Promise<Value>): Job<Value> {
    const result = Promise.withResolvers<Value>()
    const job = { ...asked, run, result, waiters: 0, isStarted: false, queuedFor: new Set<Caller<Value>>() }
    jobs.set(asked.key, job)
    return job
  }

  function mayStart({ place }: Job<Value>, { account, inFlight: ofCaller }: Caller<Value>): boolean {
    if (startedInTurn >= startsPerTurn || (inFlightAt.get(place) ?? 0) >= slotsPerPlace) return false
    const open = account.inFlight < modestInFlight ? slots : sharedSlots
    return inFlight < open && account.inFlight < slotsPerAccount && ofCaller < slotsPerCaller
  }

  function start(job: Job<Value>, caller: Caller<Value>): void {
    if (startedInTurn === 0) void timer.turn().then(beginTurn)
    startedInTurn += 1
    inFlight += 1
    inFlightAt.set(job.place, (inFlightAt.get(job.place) ?? 0) + 1)
    caller.inFlight += 1
    caller.account.inFlight += 1
    keep(caller)
    job.isStarted = true
    for (const each of job.queuedFor) dequeue(job, each)
    job
      .run()
      .finally(() => {
        inFlight -= 1
        const atPlace = (inFlightAt.get(job.place) ?? 0) - 1
        if (atPlace > 0) inFlightAt.set(job.place, atPlace)
        else inFlightAt.delete(job.place)
        caller.inFlight -= 1
        caller.account.inFlight -= 1
        forgetIfIdle(caller)
        jobs.delete(job.key)
        fillSlots()
      })
      .then(job.result.resolve, job.result.reject)
  }

  function beginTurn(): void {
    startedInTurn = 0
    fillSlots()
  }

  function fillSlots(): void {
    for (const account of accounts.values()) {
      if (inFlight >= slots || startedInTurn >= startsPerTurn) return
      for (const caller of account.callers.values()) {
        const [next] = caller.queue
        if (next === undefined || !mayStart(next, caller)) continue
        // The outer loop comes back to an account that is moved to the end.
        moveToEnd(caller)
        start(next, caller)
        break
      }
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
    forgetIfIdle(caller)
  }
}
