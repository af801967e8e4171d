import type {
  Clock,
  Dns,
  DnsAnswer,
  DnsFailed,
  DnsFailure,
  DnsReply,
  DnsType,
  Random,
  Timer,
} from "../../apis/contract.ts"
import { readAnswer, readReply } from "./answer.ts"
import { type Cached, type CacheOptions, createCache } from "./cache.ts"
import { type QueryOptions, query } from "./dns-query.ts"
import { createFairQueue } from "./fair-queue.ts"
import type { Question } from "./message.ts"
import { domainOf, toWireName, toWireNameOrRoot, type WireName } from "./name.ts"
import { typeNumberOf } from "./record-types.ts"
import type { ServerAddress } from "./server-address.ts"
import { createTurnReader } from "./turn-reader.ts"

/** The servers, ports and limits of a resolver. */
export interface ResolverOptions {
  /** Asked in this order; at least one. */
  readonly servers: readonly ServerAddress[]
  readonly clock: Clock
  readonly random: Random
  readonly timer: Timer
  /** Time for one question with all attempts; 2,000 by default. */
  readonly queryTimeoutMs?: number
  /** Questions in flight at a time, each with one socket or a few; 512 by default. The others are queued. */
  readonly maxInFlight?: number
  readonly cache?: Omit<CacheOptions, "clock">
}

/** Silence after which the question is sent again. */
export const retryMs = 400
/** Most questions in flight with the same signal: those of one call. */
const maxInFlightPerCall = 16
/** Most questions in flight for one account, which may make many calls at a time. */
const maxInFlightPerAccount = 64
/** Most questions in flight about one domain, of all accounts together: its servers must not be flooded by means of this one. */
const maxInFlightPerDomain = 2 * maxInFlightPerAccount

/** Sending a question takes about 0.15 ms, mostly for its socket, and other work goes on between turns. */
const startsPerTurn = 8

/** Counts since the start, for metrics. */
export interface ResolverStats {
  /** Queries sent, over UDP or TCP, repeated ones included. */
  readonly queries: number
  readonly tcpQueries: number
  /** Queries sent because an earlier one brought no answer. */
  readonly retries: number
  readonly cacheHits: number
  readonly cacheMisses: number
  /** Questions that no server answered. */
  readonly failures: number
}

export type Resolver = Dns & { stats(): ResolverStats }

/** A stub resolver (RFC 1034 §5.3.1): asks the given servers, each question once at a time, and caches answers. */
export function createResolver(options: ResolverOptions): Resolver {
  const { servers, clock, random, timer, queryTimeoutMs = 2_000, maxInFlight = 512 } = options
  if (servers.length === 0) throw new RangeError("a resolver needs a server")
  const cache = createCache({ ...options.cache, clock })
  const queue = createFairQueue<Cached>({
    slots: maxInFlight,
    slotsPerCaller: maxInFlightPerCall,
    slotsPerAccount: maxInFlightPerAccount,
    slotsPerPlace: maxInFlightPerDomain,
    startsPerTurn,
    timer,
  })
  const answeredBy = new WeakMap<Cached, ServerAddress>()
  /** The check whether any server answers, which all share that ask meanwhile. */
  let checking: Promise<boolean> | null = null
  const counts = { queries: 0, tcpQueries: 0, retries: 0, cacheHits: 0, cacheMisses: 0, failures: 0 }
  const queryOptions: QueryOptions = {
    servers,
    random,
    timer,
    queryTimeoutMs,
    retryMs,
    whenRead: createTurnReader(timer),
    onSend(transport, isRetry) {
      counts.queries += 1
      if (transport === "tcp") counts.tcpQueries += 1
      if (isRetry) counts.retries += 1
    },
  }

  return {
    // The operation and the type are part of the question and of the key, so the answer is of that kind and type.
    resolve: <T extends DnsType>(name: string, type: T, signal?: AbortSignal, account?: string) =>
      ask({ name: toWireName(name), type, operation: "resolve" }, signal, account) as Promise<DnsAnswer<T>>,
    exchange: (name, type, { dnssec = false } = {}, signal, account) =>
      ask(
        { name: toWireNameOrRoot(name), type, operation: dnssec ? "records" : "checked" },
        signal,
        account,
      ) as Promise<DnsReply>,
    answers() {
      checking ??= fetchReply(rootServers, queryOptions)
        .then(({ answer }) => answer.kind === "reply")
        .finally(() => {
          checking = null
        })
      return checking
    },
    serverOf: (answer) => answeredBy.get(answer) ?? null,
    stats: () => ({ ...counts }),
  }

  async function ask(asked: Asked, signal?: AbortSignal, account?: string): Promise<Cached> {
    const { name, type, operation } = asked
    if (typeNumberOf(type) === null) throw new RangeError(`no record type that can be asked for: ${type}`)
    if (signal?.aborted) return failure("aborted")
    if (name === null) return operation === "resolve" ? { kind: "nxdomain" } : noName
    const key = `${operation} ${type} ${name}`
    const cached = cache.get(key)
    if (cached) {
      counts.cacheHits += 1
      return cached
    }
    counts.cacheMisses += 1
    const fetch = () => fetchAnswer(key, { name, type, operation })
    const asking = queue.run({ key, place: domainOf(name) }, fetch, signal, account)
    return (await asking) ?? failure("aborted")
  }

  async function fetchAnswer(key: string, { name, type, operation }: Asked & { name: WireName }) {
    const { answer, ttlSeconds, server } =
      operation === "resolve"
        ? await lookUp(name, type, queryOptions)
        : await fetchReply({ name, type, dnssec: operation }, queryOptions)
    if (server) answeredBy.set(answer, server)
    if (answer.kind === "failure") counts.failures += 1
    // Only under the name that was asked: records of other names in the answer may be forged. A copy, for which no server is
    // known: an answer from the cache comes from none.
    else cache.put(key, { ...answer }, ttlSeconds)
    return answer
  }
}

const rootServers: Question = { name: "\0", type: "NS" }

/** The reply for a name that cannot be asked for. */
const noName: DnsReply = {
  kind: "reply",
  rcode: "NXDOMAIN",
  authenticated: false,
  answer: [],
  authority: [],
  messageBytes: 0,
}

/** A question with the operation that asks it; an exchange is with or without the records of DNSSEC. */
interface Asked {
  /** Null for a name that cannot be asked for. */
  readonly name: WireName | null
  readonly type: DnsType
  readonly operation: "resolve" | NonNullable<Question["dnssec"]>
}

async function fetchReply(question: Question, options: QueryOptions) {
  const result = await query(question, (response) => readReply(response, question), options)
  if (result.kind === "failure") return { answer: failure(result.reason), ttlSeconds: 0, server: null }
  return { answer: result.value.reply, ttlSeconds: result.value.ttlSeconds, server: result.server }
}

/** Asks for `name`. When a server answers with an alias alone, asks for the alias's target. */
async function lookUp(name: WireName, type: DnsType, options: QueryOptions) {
  let asked = name
  let passed: readonly WireName[] = []
  let ttlSeconds = Number.POSITIVE_INFINITY
  for (;;) {
    const question = { name: asked, type }
    const result = await query(question, (response) => readAnswer(response, question, passed), options)
    if (result.kind === "failure") return { answer: failure(result.reason), ttlSeconds: 0, server: null }
    const found = result.value
    ttlSeconds = Math.min(ttlSeconds, found.ttlSeconds)
    if (found.kind === "answer") return { answer: found.answer, ttlSeconds, server: result.server }
    asked = found.target
    passed = found.passed
  }
}

function failure(reason: DnsFailure): DnsFailed {
  return { kind: "failure", reason }
}
