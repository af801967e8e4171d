import { LRUCache } from "lru-cache"
import type { Clock, DnsAnswer, DnsRecord, DnsReply } from "../../apis/contract.ts"
import { deepFreeze } from "../../values/frozen.ts"
import { once } from "../../values/once.ts"

/** The clock and the size of a cache. */
export interface CacheOptions {
  readonly clock: Clock
  /** Most entries; 10,000 by default. */
  readonly maxEntries?: number
  /** Most bytes, estimated; 8 MiB by default. */
  readonly maxBytes?: number
}

/** An answer with more records is not kept: it would take a tenth of the space, and 3 ms to measure. */
const maxRecords = 200
const maxTtlSeconds = 3_600
/** For "no such name" and "no data". */
const maxNegativeTtlSeconds = 300

/** An answer in a cache. */
export type Cached = DnsAnswer | DnsReply

interface Entry {
  readonly answer: Cached
  readonly putAtMs: number
  readonly expiresAtMs: number
  readonly bytes: number
}

/** Answers by key until they expire. When it is full, those that were not used for the longest time are dropped. */
export function createCache(options: CacheOptions) {
  const { clock, maxEntries: max = 10_000, maxBytes: maxSize = 8 * 1024 * 1024 } = options
  // Without the library's `ttl`: it never expires an answer put when the clock is at 0, and keeps others for one tick too long.
  // Made with the first answer: it takes the memory for all entries at once.
  const entries = once(
    () => new LRUCache<string, Entry>({ max, maxSize, sizeCalculation: ({ bytes }) => bytes }),
  )

  return {
    /** The answer, with what is left of the TTLs in it; null without one. */
    get(key: string): Cached | null {
      const entry = entries().get(key)
      if (!entry) return null
      const nowMs = clock.monotonicMs()
      if (nowMs < entry.expiresAtMs) return withAge(entry.answer, Math.floor((nowMs - entry.putAtMs) / 1000))
      entries().delete(key)
      return null
    },
    /** Keeps an answer instead of an earlier one. Failures are not kept. */
    put(key: string, answer: Cached, ttlSeconds: number) {
      entries().delete(key)
      const ttlMs = Math.min(ttlSeconds, hasRecords(answer) ? maxTtlSeconds : maxNegativeTtlSeconds) * 1000
      if (answer.kind === "failure" || ttlMs <= 0 || countRecords(answer) > maxRecords) return
      const putAtMs = clock.monotonicMs()
      const bytes = 200 + key.length + bytesOf(answer)
      entries().set(key, { answer: deepFreeze(answer), putAtMs, expiresAtMs: putAtMs + ttlMs, bytes })
    },
  }
}

function hasRecords(answer: Cached): boolean {
  if (answer.kind === "reply") return answer.rcode === "NOERROR" && answer.answer.length > 0
  return answer.kind === "records"
}

function countRecords(answer: Cached): number {
  if (answer.kind === "reply") return answer.answer.length + answer.authority.length
  return answer.kind === "records" ? answer.records.length : 0
}

function withAge(cached: Cached, seconds: number): Cached {
  if (cached.kind !== "reply" || seconds === 0) return cached
  const older = (record: DnsRecord) => ({ ...record, ttlSeconds: Math.max(0, record.ttlSeconds - seconds) })
  return { ...cached, answer: cached.answer.map(older), authority: cached.authority.map(older) }
}

/** The texts of an answer, and an allowance for the objects around them. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return 40 + value.length
  if (typeof value !== "object" || value === null) return 8
  return Object.values(value).reduce<number>((sum, part) => sum + bytesOf(part), 50)
}
