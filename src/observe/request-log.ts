import type { Ports, Random } from "../apis/contract.ts"
import type { CallRecord } from "../call/caller.ts"
import { createIsoTime } from "../ports/clock.ts"
import { type LogLevel, logLevels } from "../ports/log.ts"
import type { RequestTrace } from "../ports/tracer.ts"
import type { Tally } from "./counts.ts"

/** Writes one line about a request if its level and the sampling allow it. */
export type RequestLog = (tally: Tally, start: RequestStart, end: RequestEnd, durationMs: number) => void

/** Writes nothing. */
export const noRequestLog: RequestLog = () => {}

interface RequestLogOptions extends Pick<Ports, "clock" | "random"> {
  /** Takes a line with its newline. It has no hidden characters: all texts in it are made or checked by this program. */
  readonly write: (line: string) => void
  /** Lines below this level are not written. */
  readonly level: LogLevel
  /** The share of lines that are written for answers below 500, 0 to 1; lines for others are always written. */
  readonly sample: number
}

/**
 * Writes lines in the form of `createLog`, but with `JSON.stringify`, which takes half the time of pino. Paths, queries and
 * bodies are left out, since people paste keys into the wrong places.
 */
export function createRequestLog({ write, level, sample, clock, random }: RequestLogOptions): RequestLog {
  const isoTime = createIsoTime(clock)
  const isSampled = createSampler(sample, random)
  const least = logLevels.indexOf(level)
  return (tally, start, end, durationMs) => {
    const { status } = end
    const lineLevel = levelFor(status, tally)
    if (logLevels.indexOf(lineLevel) < least || (lineLevel === "info" && status < 500 && !isSampled())) return
    const line = {
      level: lineLevel,
      time: isoTime(),
      requestId: start.requestId,
      traceId: start.trace?.traceId,
      account: end.caller?.account.id ?? null,
      key: end.caller?.key.id ?? null,
      actor: end.actor,
      api: end.apis?.join(",") || tally.api,
      surface: tally.surface,
      status,
      fault: end.fault ?? undefined,
      durationMs: Math.round(durationMs * 1_000) / 1_000,
      credits: creditsOf(end),
      address: start.address(),
      message: "request",
    }
    write(`${JSON.stringify(line)}\n`)
  }
}

/** Successful probes and scrapes would hide other lines. A 501 is no failure: the operator turned that feature off. */
function levelFor(status: number, { surface }: Tally): "debug" | "info" | "warn" | "error" {
  if (status >= 500 && status !== 501) return status === 503 ? "warn" : "error"
  return surface === "unkeyed" && status < 400 ? "debug" : "info"
}

/** Chooses at random. If every n-th line were chosen, callers who take turns would be seen always or never. */
function createSampler(sample: number, random: Random): () => boolean {
  if (sample >= 1) return () => true
  if (sample <= 0) return () => false
  const limit = sample * 2 ** 32
  let state = (Buffer.from(random.bytes(4)).readUInt32LE(0) | 1) >>> 0
  return () => {
    // Marsaglia's xorshift32 is good enough to choose lines, and fast.
    state ^= state << 13
    state ^= state >>> 17
    state = (state ^ (state << 5)) >>> 0
    return state < limit
  }
}

/** A request as it arrives. */
export interface RequestStart {
  readonly requestId: string
  /** Whether the id was made here: a prefix, a dot and a count in base 36. */
  readonly hasOwnId?: boolean
  /** Returns the client's IP address as text. */
  readonly address: () => string
  /** Milliseconds, read from `Observer.nowMs`. */
  readonly startedMs: number
  /** Null or absent when it belongs to no trace. */
  readonly trace?: RequestTrace | null
}

/** A request when its answer is made. */
export interface RequestEnd extends Partial<CallRecord> {
  /** The HTTP status. */
  readonly status: number
  /** The ids of all APIs that a GraphQL query asked, each once. */
  readonly apis?: readonly string[]
  /** Whether it was a call that was answered again under its Idempotency-Key, and not charged. */
  readonly isReplay?: boolean | undefined
  /** The actor of an operation of the administration: `admin-key:ID`. */
  readonly actor?: string
}

/** Counts and logs one finished request. */
export type RecordRequest = (start: RequestStart, end: RequestEnd) => void

/** The credits that a request was charged. */
export function creditsOf({ charged }: RequestEnd): number {
  let sum = 0
  if (charged) for (const { credits } of charged) sum += credits
  return sum
}
