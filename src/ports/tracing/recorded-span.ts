import { type HrTime, type SpanContext, SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api"
import { millisToHrTime } from "@opentelemetry/core"
import type { Resource } from "@opentelemetry/resources"
import type { IdGenerator, ReadableSpan } from "@opentelemetry/sdk-trace"
import type { Span, SpanAttributes } from "../tracer.ts"

/** The parts that all spans of a process share. */
export interface SpanParts {
  readonly ids: Pick<IdGenerator, "generateSpanId">
  readonly resource: Resource
  readonly scope: ReadableSpan["instrumentationScope"]
  readonly onEnd: (span: ReadableSpan) => void
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const
const none: never[] = []

/**
 * A recorded span. The SDK's own checks and copies attributes twice and takes several times as long (decision 26); it exports the
 * same.
 */
export class RecordedSpan implements Span {
  readonly #name: string
  readonly #kind: keyof typeof kinds
  readonly #attributes: SpanAttributes
  readonly #context: SpanContext
  readonly #parent: SpanContext | null
  /**
   * The difference between the time of day at the beginning of the first span and the process's own clock, which does not jump.
   */
  readonly #offsetMs: number
  readonly #startMs: number
  readonly #parts: SpanParts
  #hasEnded = false

  constructor(
    name: string,
    kind: keyof typeof kinds,
    attributes: SpanAttributes,
    place: { readonly traceId: string; readonly parent: SpanContext | null; readonly offsetMs: number },
    parts: SpanParts,
  ) {
    this.#name = name
    this.#kind = kind
    this.#attributes = attributes
    const { traceId, parent, offsetMs } = place
    this.#context = { traceId, spanId: parts.ids.generateSpanId(), traceFlags: TraceFlags.SAMPLED }
    this.#parent = parent
    this.#offsetMs = offsetMs
    this.#startMs = performance.now()
    this.#parts = parts
  }

  get traceparent(): string {
    const { traceId, spanId } = this.#context
    return `00-${traceId}-${spanId}-01`
  }

  begin(name: string, attributes: SpanAttributes = {}, kind: "internal" | "client" = "internal"): Span {
    const place = { traceId: this.#context.traceId, parent: this.#context, offsetMs: this.#offsetMs }
    return new RecordedSpan(name, kind, attributes, place, this.#parts)
  }

  end(attributes: SpanAttributes = {}, error: string | null = null): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const endMs = performance.now()
    const context = this.#context
    const { resource, scope, onEnd } = this.#parts
    onEnd({
      name: this.#name,
      kind: kinds[this.#kind],
      spanContext: () => context,
      ...(this.#parent && { parentSpanContext: this.#parent }),
      startTime: this.#timeOf(this.#startMs),
      endTime: this.#timeOf(endMs),
      duration: millisToHrTime(endMs - this.#startMs),
      attributes: { ...this.#attributes, ...attributes, ...(error !== null && { "error.type": error }) },
      status: { code: error === null ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
      ended: true,
      links: none,
      events: none,
      resource,
      instrumentationScope: scope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    })
  }

  #timeOf(ms: number): HrTime {
    return millisToHrTime(this.#offsetMs + ms)
  }
}
