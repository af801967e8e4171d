import type { Finding } from "../findings.ts"
import { chargeFindings, compare, readBooks, sum } from "./books.ts"
import type { Instance } from "./instance.ts"
import { type Call, type Customer, mixedCalls, startTraffic } from "./traffic.ts"
import { atMost, count, none, recoveryLimitMs, refusalLimitMs } from "./trial.ts"

/** Faults of the processes while calls are made. */
export interface Fault {
  /** Begins the fault. */
  begin(): Promise<void> | void
  /** How long the fault lasts at least. */
  readonly lastsMs: number
  /** Ends the fault. Resolves when all works again. */
  end(): Promise<void> | void
  /** Instances that are killed or stopped themselves, by number: they cannot answer in time. */
  readonly stopped?: readonly number[]
  /** Whether the database makes charges whose commit then waits: the first calls are told that they may have been charged. */
  readonly commitsWait?: boolean
  /** Instances that must go on meanwhile, by number. */
  readonly unaffected?: readonly number[]
}

/** Figures of one fault. */
export interface FaultResult extends ReturnType<typeof compare> {
  /** How long each 503 took. */
  readonly refusalMs: readonly number[]
  /** From the end of the fault to the first success of each instance. */
  readonly recoveryMs: readonly number[]
  /** Calls that unaffected instances did not answer, or not with success. */
  readonly failuresOfOthers: readonly Call[]
  /** The longest time without a success of an unaffected instance. */
  readonly gapMs: number
  /** Credits that were charged after the calls had ended. */
  readonly late: number
  readonly calls: number
}

interface FaultOptions {
  readonly instances: readonly Instance[]
  readonly customers: readonly Customer[]
  readonly fault: Fault
  /** Where charges are read before, and after. */
  readonly books: { readonly before: string; readonly after: () => string }
  /** Calls are made for so long before and after the fault. */
  readonly marginMs: number
}

/** So long after commits begin to wait, every connection of an instance has lost an answer and charges no more. */
const noticedMs = 500

/** Makes calls to all instances, lets a fault begin and end meanwhile, and compares answers with charges. */
export async function tryFault(options: FaultOptions): Promise<FaultResult> {
  const { instances, customers, fault, books, marginMs } = options
  const before = await readBooks(books.before)
  const traffic = startTraffic({ instances, customers, requests: mixedCalls })
  await Bun.sleep(marginMs)
  await fault.begin()
  const begunMs = performance.now()
  await Bun.sleep(fault.lastsMs)
  await fault.end()
  const endMs = performance.now()
  const firsts = await Promise.all(instances.map((_, number) => traffic.successAfter(number, endMs)))
  await Bun.sleep(marginMs)
  await traffic.stop()
  const after = await readBooks(books.after())
  await Bun.sleep(20)
  const later = await readBooks(books.after())
  const { calls } = traffic
  const unaffected = calls.filter(({ instance }) => fault.unaffected?.includes(instance))
  const refusals = calls.filter(
    ({ status, instance }) => status === 503 && !fault.stopped?.includes(instance),
  )
  return {
    ...compare(calls, before, after, begunMs + (fault.commitsWait ? noticedMs : 0)),
    refusalMs: refusals.map(({ startMs, endMs }) => endMs - startMs),
    recoveryMs: firsts.map((ms) => (ms === null ? Number.POSITIVE_INFINITY : ms - endMs)),
    failuresOfOthers: unaffected.filter(({ status }) => status !== 200),
    gapMs: longestGap(unaffected),
    late: sum([...later.values()]) - sum([...after.values()]),
    calls: calls.length,
  }
}

/** The findings over all rounds of a trial. */
export function reportFaults(results: readonly FaultResult[]): Finding[] {
  const all = <T>(pick: (result: FaultResult) => readonly T[]) => results.flatMap(pick)
  const total = (name: "calls" | "answered" | "booked" | "uncertain" | "late") =>
    sum(results.map((result) => result[name]))
  const refusalMs = all((result) => result.refusalMs)
  const recoveryMs = all((result) => result.recoveryMs)
  const failures = all((result) => result.failuresOfOthers)
  const gaps = results.map(({ gapMs }) => gapMs)
  return [
    count("faults", results.length),
    count("calls", total("calls")),
    count("credits answered", total("answered")),
    count("credits booked", total("booked")),
    count(
      "credits of calls under way at a fault that may have been charged without success",
      total("uncertain"),
    ),
    ...chargeFindings(results),
    none("credits booked after the last answer", total("late")),
    count("503", refusalMs.length),
    atMost("slowest 503, ms", refusalMs, refusalLimitMs),
    atMost("recovery, ms", recoveryMs, recoveryLimitMs),
    none("calls that other instances failed meanwhile", failures.length),
    atMost("longest time without a success of another instance, ms", gaps, refusalLimitMs),
  ]
}

function longestGap(calls: readonly Call[]): number {
  const ends = calls
    .filter(({ status }) => status === 200)
    .map(({ endMs }) => endMs)
    .sort((a, b) => a - b)
  return Math.max(0, ...ends.slice(1).map((ms, index) => ms - (ends[index] ?? ms)))
}

/** Customers of a trial with faults: two that have a client on each instance alone, and one that three clients share. */
export function spread(customers: readonly Customer[]): readonly Customer[] {
  const [shared] = customers
  return shared ? [...customers, shared, shared] : []
}
