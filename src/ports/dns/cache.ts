import type { Clock, DnsAnswer } from "../../apis/contract.ts"

export interface CacheOptions {
  readonly clock: Clock
  /** Entries at most; 10,000 unless told otherwise. */
  readonly maxEntries?: number
  /** Octets at most, as estimated; 8 MiB unless told otherwise. */
  readonly maxOctets?: number
  /** Longest time that records are kept; an hour. */
  readonly maxTtlSeconds?: number
  /** Longest time that "no such name" and "no data" are kept; five minutes. */
  readonly maxNegativeTtlSeconds?: number
}

/** Answers by key until their time to live is over; failures are not kept. Those not used the longest go first. */
export interface Cache {
  get(key: string): DnsAnswer | null
  put(key: string, answer: DnsAnswer, ttlSeconds: number): void
}

interface Entry {
  readonly answer: DnsAnswer
  readonly expiresAtMs: number
  readonly octets: number
}

export function createCache({
  clock,
  maxEntries = 10_000,
  maxOctets = 8 * 1024 * 1024,
  maxTtlSeconds = 3600,
  maxNegativeTtlSeconds = 300,
}: CacheOptions): Cache {
  /** In the order of their last use. */
  const entries = new Map<string, Entry>()
  let octets = 0

  function drop(key: string): void {
    const entry = entries.get(key)
    if (!entry) return
    entries.delete(key)
    octets -= entry.octets
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (!entry) return null
      if (entry.expiresAtMs <= clock.monotonicMs()) {
        drop(key)
        return null
      }
      entries.delete(key)
      entries.set(key, entry)
      return entry.answer
    },
    put(key, answer, ttlSeconds) {
      drop(key)
      const cap = answer.kind === "records" ? maxTtlSeconds : maxNegativeTtlSeconds
      const ttlMs = Math.min(ttlSeconds, cap) * 1000
      const size = entryOctets(key, answer)
      if (answer.kind === "failure" || ttlMs <= 0 || size > maxOctets) return
      entries.set(key, { answer: freeze(answer), expiresAtMs: clock.monotonicMs() + ttlMs, octets: size })
      octets += size
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && octets <= maxOctets) break
        drop(oldest)
      }
    },
  }
}

/** The text, and an allowance for the objects around it. */
function entryOctets(key: string, answer: DnsAnswer): number {
  let octets = 200 + key.length
  if (answer.kind !== "records") return octets
  for (const record of answer.records) {
    octets += typeof record === "string" ? 40 + record.length : 100 + record.exchange.length
  }
  return octets
}

/** One object answers many callers. */
function freeze(answer: DnsAnswer): DnsAnswer {
  if (answer.kind === "records") {
    for (const record of answer.records) Object.freeze(record)
    Object.freeze(answer.records)
  }
  return Object.freeze(answer)
}
