import type { Clock, Dns, DnsAnswer, DnsFailure, DnsType, Random } from "../../apis/contract.ts"
import { readAnswer, type TimedAnswer } from "./answer.ts"
import { type CacheOptions, createCache } from "./cache.ts"
import { createFlights } from "./flights.ts"
import { toWireName, type WireName } from "./name.ts"
import { type QueryOptions, query } from "./query.ts"
import type { ServerAddress } from "./server-address.ts"

export interface ResolverOptions {
  /** Asked in this order; at least one. */
  readonly servers: readonly ServerAddress[]
  readonly clock: Clock
  readonly random: Random
  /** Time for one question with all its tries; 2,000 unless told otherwise. */
  readonly queryTimeoutMs?: number
  /** Silence after which the question is sent again; 400. */
  readonly retryMs?: number
  /** Questions in the air at a time, others wait in line; 512. Each holds one to a few sockets. */
  readonly maxInFlight?: number
  /** Those of them with one and the same signal, and so of one call; 16. */
  readonly maxInFlightPerCall?: number
  readonly cache?: Omit<CacheOptions, "clock">
}

/** Counts since the start, for metrics. */
export interface ResolverStats {
  /** Queries sent, over UDP or TCP, repeated ones included. */
  readonly queries: number
  readonly tcpQueries: number
  /** Queries sent because an earlier one brought nothing. */
  readonly retries: number
  readonly cacheHits: number
  readonly cacheMisses: number
  /** Questions that no server answered. */
  readonly failures: number
}

export interface Resolver extends Dns {
  stats(): ResolverStats
}

/** A stub resolver (RFC 1034 §5.3.1) over the servers given: one query per question in the air, answers cached. */
export function createResolver(options: ResolverOptions): Resolver {
  const { servers, clock, random, queryTimeoutMs = 2_000, retryMs = 400 } = options
  const { maxInFlight = 512, maxInFlightPerCall = 16 } = options
  if (servers.length === 0) throw new RangeError("a resolver needs a server")
  const cache = createCache({ ...options.cache, clock })
  const flights = createFlights<DnsAnswer>({ limit: maxInFlight, limitPerCaller: maxInFlightPerCall })
  const counts = { queries: 0, tcpQueries: 0, retries: 0, cacheHits: 0, cacheMisses: 0, failures: 0 }
  const queryOptions: QueryOptions = {
    servers,
    random,
    queryTimeoutMs,
    retryMs,
    onSend(transport, isRetry) {
      counts.queries += 1
      if (transport === "tcp") counts.tcpQueries += 1
      if (isRetry) counts.retries += 1
    },
  }

  async function fetchAnswer(key: string, name: WireName, type: DnsType): Promise<DnsAnswer> {
    const { answer, ttlSeconds } = await lookUp(name, type, queryOptions)
    if (answer.kind === "failure") counts.failures += 1
    // Under the name that was asked and no other: a record seen on the way is not evidence for its own name.
    else cache.put(key, answer, ttlSeconds)
    return answer
  }

  function resolveAny(text: string, type: DnsType, signal: AbortSignal | undefined): Promise<DnsAnswer> {
    if (signal?.aborted) return Promise.resolve(failure("aborted"))
    const name = toWireName(text)
    if (name === null) return Promise.resolve({ kind: "nxdomain" })
    const key = name + type
    const cached = cache.get(key)
    if (cached) {
      counts.cacheHits += 1
      return Promise.resolve(cached)
    }
    counts.cacheMisses += 1
    const landing = flights.join(key, () => fetchAnswer(key, name, type), signal)
    return landing.then((answer) => answer ?? failure("aborted"))
  }

  return {
    // The type is part of the question and of the key, so the answer is of that type.
    resolve: <T extends DnsType>(name: string, type: T, signal?: AbortSignal) =>
      resolveAny(name, type, signal) as Promise<DnsAnswer<T>>,
    stats: () => ({ ...counts }),
  }
}

/** Asks for `name`, and again for the target where a server answers with an alias alone. */
async function lookUp(
  name: WireName,
  type: DnsType,
  options: QueryOptions,
): Promise<Omit<TimedAnswer, "kind">> {
  let asked = name
  let passed: readonly WireName[] = []
  let ttlSeconds = Number.POSITIVE_INFINITY
  for (;;) {
    const question = { name: asked, type }
    const result = await query(question, (response) => readAnswer(response, question, passed), options)
    if (result.kind === "failure") return { answer: failure(result.reason), ttlSeconds: 0 }
    const found = result.value
    ttlSeconds = Math.min(ttlSeconds, found.ttlSeconds)
    if (found.kind === "answer") return { answer: found.answer, ttlSeconds }
    asked = found.target
    passed = found.passed
  }
}

function failure(reason: DnsFailure): DnsAnswer {
  return { kind: "failure", reason }
}
