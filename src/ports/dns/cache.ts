import { LRUCache } from "lru-cache"
import type { Clock, DnsAnswer } from "../../apis/contract.ts"
import { once } from "../../values/once.ts"

/** The clock and the size of a cache. */
export interface CacheOptions {
  readonly clock: Clock
  /** Most entries; 10,000 by default. */
  readonly maxEntries?: number
  /** Most bytes, estimated; 8 MiB by default. */
  readonly maxBytes?: number
}

const maxTtlSeconds = 3_600
/** For "no such name" and "no data". */
const maxNegativeTtlSeconds = 300

type Entry = { readonly answer: DnsAnswer; readonly expiresAtMs: number; readonly bytes: number }

/** Answers by key until they expire. When it is full, those that were not used for the longest time are dropped. */
export function createCache(options: CacheOptions) {
  const { clock, maxEntries: max = 10_000, maxBytes: maxSize = 8 * 1024 * 1024 } = options
  // Without the library's `ttl`: it never expires an answer put when the clock is at 0, and keeps others for one tick too long.
  // Made with the first answer: it takes the memory for all entries at once.
  const entries = once(
    () => new LRUCache<string, Entry>({ max, maxSize, sizeCalculation: ({ bytes }) => bytes }),
  )

  return {
    get(key: string) {
      const entry = entries().get(key)
      if (!entry) return null
      if (clock.monotonicMs() < entry.expiresAtMs) return entry.answer
      entries().delete(key)
      return null
    },
    /** Keeps an answer instead of an earlier one. Failures are not kept. */
    put(key: string, answer: DnsAnswer, ttlSeconds: number) {
      entries().delete(key)
      const longest = answer.kind === "records" ? maxTtlSeconds : maxNegativeTtlSeconds
      const ttlMs = Math.min(ttlSeconds, longest) * 1000
      if (answer.kind === "failure" || ttlMs <= 0) return
      const expiresAtMs = clock.monotonicMs() + ttlMs
      entries().set(key, { answer: freeze(answer), expiresAtMs, bytes: entryBytes(key, answer) })
    },
  }
}

/** The text, and an allowance for the objects around it. */
function entryBytes(key: string, answer: DnsAnswer): number {
  let bytes = 200 + key.length
  if (answer.kind !== "records") return bytes
  for (const record of answer.records) {
    bytes += typeof record === "string" ? 40 + record.length : 100 + record.exchange.length
  }
  return bytes
}

/** Many callers share one answer, so none may change it. */
function freeze(answer: DnsAnswer): DnsAnswer {
  if (answer.kind === "records") {
    for (const record of answer.records) Object.freeze(record)
    Object.freeze(answer.records)
  }
  return Object.freeze(answer)
}
