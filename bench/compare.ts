import type { Finding, Goal } from "../scripts/findings.ts"
import type { Row } from "./case.ts"
import type { Load, LoadResult } from "./load.ts"
import { type ServerProcess, startServer, type Usage, usageOf } from "./processes.ts"
import type { Workbench } from "./workbench.ts"

/** A server and the load that it gets. */
interface Subject {
  readonly command: readonly string[]
  readonly load: Load
  /** The cores that its server may use; only the first one if left out. */
  readonly cores?: readonly number[]
}

export interface Round extends LoadResult {
  /** Processor time of the server. */
  readonly cpuMs: number
  readonly peakMb: number
}

export interface Measured {
  readonly name: string
  readonly idleMb: number
  readonly rounds: readonly Round[]
}

/** How often a loaded server's memory is read. */
const samplingMs = 100

/**
 * Starts all servers and loads one after the other, round by round, so that what else the machine does affects all of
 * them. The first round is a warm-up and does not count.
 */
export async function compare<Name extends string>(
  bench: Workbench,
  subjects: Readonly<Record<Name, Subject>>,
): Promise<Record<Name, Measured>> {
  const running: (Measured & { load: Load; server: ServerProcess; rounds: Round[] })[] = []
  try {
    for (const [name, { command, load, cores }] of Object.entries<Subject>(subjects)) {
      const server = await startServer(command, cores)
      running.push({ name, load, server, rounds: [], idleMb: usageOf(server.pid).residentMb })
    }
    for (let round = 0; round <= bench.rounds; round++) {
      for (const { name, load, server, rounds } of running) {
        bench.say(`${round === 0 ? "warm-up" : `round ${round} of ${bench.rounds}`}: ${name}`)
        const result = await loadOnce(bench, load, server)
        if (round > 0) rounds.push(result)
      }
    }
    const measured = running.map(({ name, idleMb, rounds }) => [name, { name, idleMb, rounds }])
    return Object.fromEntries(measured) as Record<Name, Measured>
  } finally {
    await Promise.all(running.map(({ server }) => server.stop()))
  }
}

/** Loads a running server and reads its processor time and memory meanwhile. */
export async function loadOnce(bench: Workbench, load: Load, { url, pid }: ServerProcess): Promise<Round> {
  const before = usageOf(pid)
  let peakMb = before.residentMb
  const sample = (usage: Usage) => {
    peakMb = Math.max(peakMb, usage.residentMb)
  }
  const sampling = setInterval(() => sample(usageOf(pid)), samplingMs)
  try {
    const result = await bench.load(load, url)
    const after = usageOf(pid)
    sample(after)
    return { ...result, peakMb, cpuMs: after.cpuMs - before.cpuMs }
  } finally {
    clearInterval(sampling)
  }
}

/** Adds up several loads of one server: sums, and the longest latencies. */
export function sumOf(rounds: readonly Round[]): Round {
  const all = (name: keyof Round) => rounds.map((round) => round[name])
  const add = (name: keyof Round) => all(name).reduce((sum, value) => sum + value, 0)
  const highest = (name: keyof Round) => Math.max(...all(name))
  return {
    ...{ requests: add("requests"), seconds: add("seconds"), cpuMs: add("cpuMs") },
    ...{ p50Ms: highest("p50Ms"), p99Ms: highest("p99Ms"), peakMb: highest("peakMb") },
  }
}

/** The medians of each server. */
export function toRows(measured: Readonly<Record<string, Measured>>): Row[] {
  return Object.values(measured).map(toRow)
}

export function toRow({ name, idleMb, rounds }: Measured): Row {
  return {
    ...{ subject: name, idleMb },
    requestsPerSecond: median(rounds.map(({ requests, seconds }) => requests / seconds)),
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    cpuMicroseconds: median(rounds.map(cpuMicroseconds)),
    loadMb: Math.max(...rounds.map(({ peakMb }) => peakMb)),
  }
}

/** Processor time per request of one over that of the other, round by round. */
export function cpuRatio(one: Measured, other: Measured, goal: Goal | null): Finding {
  const others = other.rounds.map(cpuMicroseconds)
  const ratios = one.rounds.map((round, index) => cpuMicroseconds(round) / (others[index] ?? Number.NaN))
  return toFinding(`CPU/request, ${one.name} ÷ ${other.name}`, ratios, goal)
}

/** How much longer the slowest hundredth of the calls takes than the middle one. */
export function tailRatio({ name, rounds }: Measured, goal: Goal): Finding {
  const ratios = rounds.map(({ p50Ms, p99Ms }) => p99Ms / p50Ms)
  return toFinding(`p99 ÷ p50, ${name}`, ratios, goal)
}

/** Megabytes under load that one takes more than the other. */
export function memoryDifference(one: Measured, other: Measured, goal: Goal): Finding {
  const what = `MB under load, ${one.name} − ${other.name}`
  return { what, value: toRow(one).loadMb - toRow(other).loadMb, range: null, goal }
}

/** The median of some values as a finding, with their range. */
export function toFinding(what: string, values: readonly number[], goal: Goal | null): Finding {
  return { what, value: median(values), range: [Math.min(...values), Math.max(...values)], goal }
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  if (low === undefined || high === undefined) throw new Error("there is no median of no values")
  return (low + high) / 2
}

function cpuMicroseconds({ cpuMs, requests }: Round): number {
  return (cpuMs * 1_000) / requests
}
