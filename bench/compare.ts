import type { Finding, Goal, Row } from "./case.ts"
import type { Load, LoadResult } from "./load.ts"
import { type ServerProcess, startServer, type Usage, usageOf } from "./processes.ts"
import type { Workbench } from "./workbench.ts"

export interface Contender {
  readonly name: string
  readonly command: readonly string[]
  readonly load: Load
  /** Cores its server is held to; the first one when not said. */
  readonly cores?: readonly number[]
}

export interface Round extends LoadResult {
  readonly cpuMs: number | null
  readonly peakMb: number | null
}

export interface Measured {
  readonly name: string
  readonly idleMb: number | null
  readonly rounds: readonly Round[]
}

/** How often a loaded server's memory is looked at. */
const samplingMs = 100

/**
 * Starts all contenders, then loads one after the other, round by round, so that whatever else the machine does falls on
 * all of them. Before the first round each has one that does not count, in which it is compiled to machine code.
 */
export async function compare(bench: Workbench, contenders: readonly Contender[]): Promise<Measured[]> {
  const running: { contender: Contender; server: ServerProcess; idleMb: number | null; rounds: Round[] }[] =
    []
  try {
    for (const contender of contenders) {
      const server = await startServer(contender.command, contender.cores)
      running.push({ contender, server, idleMb: usageOf(server.pid)?.residentMb ?? null, rounds: [] })
    }
    for (let round = 0; round <= bench.rounds; round++) {
      for (const { contender, server, rounds } of running) {
        bench.say(`${round === 0 ? "warming up" : `round ${round} of ${bench.rounds}`}: ${contender.name}`)
        const result = await loadOnce(bench, contender.load, server)
        if (round > 0) rounds.push(result)
      }
    }
    return running.map(({ contender: { name }, idleMb, rounds }) => ({ name, idleMb, rounds }))
  } finally {
    await Promise.all(running.map(({ server }) => server.stop()))
  }
}

/** Loads a running server and watches its process meanwhile. */
export async function loadOnce(
  bench: Workbench,
  load: Load,
  { url, pid }: ServerProcess,
  seconds?: number,
): Promise<Round> {
  const before = usageOf(pid)
  let peakMb = before?.residentMb ?? null
  const sample = (usage: Usage | null) => {
    if (usage && peakMb !== null) peakMb = Math.max(peakMb, usage.residentMb)
  }
  const sampling = setInterval(() => sample(usageOf(pid)), samplingMs)
  try {
    const result = await bench.load(load, url, seconds)
    const after = usageOf(pid)
    sample(after)
    return { ...result, peakMb, cpuMs: before && after && after.cpuMs - before.cpuMs }
  } finally {
    clearInterval(sampling)
  }
}

export function toRow({ name, idleMb, rounds }: Measured): Row {
  return {
    subject: name,
    requestsPerSecond: median(rounds.map(rate)),
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    cpuMicroseconds: medianOrNull(rounds.map(cpuMicroseconds)),
    idleMb,
    loadMb: maxOrNull(rounds.map(({ peakMb }) => peakMb)),
  }
}

/** Throughput of one over the other, round by round. */
export function throughputRatio(one: Measured, other: Measured, goal: Goal | null): Finding {
  const ratios = one.rounds.map((round, index) => rate(round) / rate(at(other.rounds, index)))
  return {
    what: `requests per second, ${one.name} ÷ ${other.name}`,
    value: median(ratios),
    range: rangeOf(ratios),
    goal,
  }
}

/** Processor time of one request over the other's; nothing where there is no /proc. */
export function cpuRatio(one: Measured, other: Measured): Finding[] {
  const ratios = cpuRatios(one, other)
  if (ratios === null) return []
  const what = `processor time per request, ${one.name} ÷ ${other.name}`
  return [{ what, value: median(ratios), range: rangeOf(ratios), goal: null }]
}

/**
 * Requests per second of processor time, of one over the other: what {@link throughputRatio} is where nothing else runs,
 * and far steadier where something does. Nothing where there is no /proc.
 */
export function efficiencyRatio(one: Measured, other: Measured, goal: Goal | null): Finding[] {
  const ratios = cpuRatios(other, one)
  if (ratios === null) return []
  const what = `requests per CPU second, ${one.name} ÷ ${other.name}`
  return [{ what, value: median(ratios), range: rangeOf(ratios), goal }]
}

/** How far the slow calls are from the usual one. */
export function tailRatio({ name, rounds }: Measured, goal: Goal): Finding {
  const ratios = rounds.map(({ p50Ms, p99Ms }) => p99Ms / p50Ms)
  return { what: `p99 ÷ p50, ${name}`, value: median(ratios), range: rangeOf(ratios), goal }
}

/** Resident megabytes under load that one takes more than the other; nothing where there is no /proc. */
export function memoryDifference(one: Measured, other: Measured, goal: Goal): Finding[] {
  const [a, b] = [toRow(one).loadMb, toRow(other).loadMb]
  if (a === null || b === null) return []
  return [{ what: `MB under load, ${one.name} − ${other.name}`, value: a - b, range: null, goal }]
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return (at(sorted, Math.ceil(middle) - 1) + at(sorted, Math.floor(middle))) / 2
}

function rate({ requests, seconds }: Round): number {
  return requests / seconds
}

function cpuMicroseconds({ cpuMs, requests }: Round): number | null {
  return cpuMs === null ? null : (cpuMs * 1_000) / requests
}

/** Processor time of one over the other's, round by round; null when it is not known. */
function cpuRatios(one: Measured, other: Measured): number[] | null {
  const ratios: number[] = []
  for (const [index, round] of one.rounds.entries()) {
    const [a, b] = [cpuMicroseconds(round), cpuMicroseconds(at(other.rounds, index))]
    if (a === null || b === null) return null
    ratios.push(a / b)
  }
  return ratios
}

function medianOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : median(known)
}

function maxOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

function rangeOf(values: readonly number[]): readonly [number, number] {
  return [Math.min(...values), Math.max(...values)]
}

function at<T>(list: readonly T[], index: number): T {
  const value = list[index]
  if (value === undefined) throw new Error(`there is no round ${index + 1}`)
  return value
}
