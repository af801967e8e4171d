import { readFileSync } from "node:fs"
import {
  type HrTime,
  ROOT_CONTEXT,
  SamplingDecision,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api"
import { millisToHrTime, parseTraceParent } from "@opentelemetry/core"
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import { CompressionAlgorithm } from "@opentelemetry/otlp-exporter-base"
import { defaultResource, type Resource, resourceFromAttributes } from "@opentelemetry/resources"
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace"
import type { Timer } from "../../apis/contract.ts"
import { within } from "../../values/within.ts"
import type { Log } from "../log.ts"
import type { RequestTrace, Span, SpanAttributes, SpanStart, Tracer } from "../tracer.ts"
import { createSpanQueue, type QueueSettings } from "./span-queue.ts"

/** Where traces are sent, and which requests are recorded and how they wait. */
export interface OtelSettings extends Omit<ExporterSettings, "maxMessages"> {
  readonly sampler: SamplerSettings
  /** Attributes that describe this service in each message. */
  readonly resource: Readonly<Record<string, string>>
  readonly queue: QueueSettings
}

interface TracerParts {
  readonly timer: Timer
  readonly log: Pick<Log, "info" | "warn">
  readonly version: string
}

/** Traces by the SDK of OpenTelemetry, sent over HTTP. Loaded only when an endpoint is set. */
export function createOtelTracer(settings: OtelSettings, { timer, log, version }: TracerParts): Tracer {
  const ids = new RandomIdGenerator()
  const sampler = toSampler(settings.sampler)
  const draw = createDraw(settings.sampler, ids, Math.random)
  const { maxSpans, maxSpansPerMessage } = settings.queue
  const maxMessages = Math.ceil(maxSpans / maxSpansPerMessage) + 1
  const queue = createSpanQueue(createExporter({ ...settings, maxMessages }), settings.queue, log)
  const service = { "service.version": version, "service.instance.id": crypto.randomUUID() }
  const parts: SpanParts = {
    ids,
    resource: defaultResource().merge(resourceFromAttributes({ ...service, ...settings.resource })),
    scope: { name: "penknife", version },
    onEnd: queue.add,
  }

  function record(
    traceId: string,
    parent: SpanContext | null,
    kind: "server" | "client",
    describe: () => SpanStart,
  ): RequestTrace {
    const { name, attributes } = describe()
    const place = { traceId, parent, offsetMs: Date.now() - performance.now() }
    const span = new RecordedSpan(name, kind, attributes, place, parts)
    return { traceId, traceparent: span.traceparent, span }
  }

  return {
    begin(traceparent, kind, describe) {
      const parent = traceparent === null ? null : parseTraceParent(traceparent)
      if (parent) {
        const remote = { ...parent, isRemote: true }
        if (isRecorded(remote)) return record(parent.traceId, remote, kind, describe)
        const { traceId, spanId } = parent
        return { traceId, traceparent: `00-${traceId}-${spanId}-00`, span: null }
      }
      const id = draw()
      return id === null ? null : record(id, null, kind, describe)
    },
    dropped: queue.dropped,
    async stop(limitMs) {
      // The queue logs and counts what fails.
      const flushed = queue.flush().catch(() => {})
      await within({ timer, limitMs }, flushed, () => {})
      queue.close()
    },
  }

  function isRecorded(parent: SpanContext): boolean {
    const context = trace.setSpanContext(ROOT_CONTEXT, parent)
    const { decision } = sampler.shouldSample(context, parent.traceId, "", SpanKind.SERVER, {}, [])
    return decision === SamplingDecision.RECORD_AND_SAMPLED
  }
}

/** The address of a collector, and how spans are sent there. */
interface ExporterSettings {
  /** The address for traces, with its path. */
  readonly url: string
  readonly protocol: "http/protobuf" | "http/json"
  /** May hold a secret. */
  readonly headers: Readonly<Record<string, string>>
  readonly compression: "none" | "gzip"
  /** Time for one message with all its repetitions. */
  readonly timeoutMs: number
  /** Messages that a stop may send at a time: the library drops further ones. */
  readonly maxMessages: number
  /** Names of PEM files; null for the system's certificates, and for none. */
  readonly files: { readonly ca: string | null; readonly cert: string | null; readonly key: string | null }
}

/**
 * The exporter of OpenTelemetry for OTLP over HTTP. It repeats what a collector cannot take right now, within the time limit.
 * @throws the system's error when a file cannot be read
 */
function createExporter(settings: ExporterSettings): SpanExporter {
  const { url, protocol, headers, compression, timeoutMs, maxMessages, files } = settings
  const pem = Object.entries(files).flatMap(([name, file]) =>
    file === null ? [] : [[name, readFileSync(file, "utf8")] as const],
  )
  // Everything is given, since the library would read what is missing from the environment itself.
  const options = {
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    concurrencyLimit: maxMessages,
    compression: compression === "gzip" ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE,
    httpAgentOptions: { keepAlive: true, ...Object.fromEntries(pem) },
  }
  return protocol === "http/json" ? new JsonExporter(options) : new ProtobufExporter(options)
}

interface SamplerSettings {
  readonly root: "always_on" | "always_off" | "traceidratio"
  /** Whether the sender of a request decides, if it sends a decision. */
  readonly parentDecides: boolean
  /** For `traceidratio`, 0 to 1. */
  readonly share: number
}

/** The sampler of the SDK that the settings describe, for requests that belong to a trace already. */
export function toSampler({ root, parentDecides, share }: SamplerSettings): Sampler {
  const sampler = toRoot(root, share)
  return parentDecides ? new ParentBasedSampler({ root: sampler }) : sampler
}

function toRoot(root: SamplerSettings["root"], share: number): Sampler {
  if (root === "traceidratio") return new TraceIdRatioBasedSampler(share)
  return root === "always_on" ? new AlwaysOnSampler() : new AlwaysOffSampler()
}

/**
 * Returns a function that decides for a request without a trace: it returns the id of a new one, or null if it is not recorded.
 * The SDK's sampler would decide by an id that is made for each request, which takes 4 % of a metered call. It looks at the
 * exclusive or of the id's four words; here that is drawn first, so that every sampler of the kind agrees with an id that is
 * made.
 * @param random a number from 0 up to 1
 */
export function createDraw(
  { root, share }: SamplerSettings,
  ids: Pick<IdGenerator, "generateTraceId">,
  random: () => number,
): () => string | null {
  if (root === "always_on" || (root === "traceidratio" && share === 1)) return () => ids.generateTraceId()
  if (root === "always_off") return () => null
  const bound = Math.floor(share * 0xffffffff)
  return () => {
    const drawn = Math.floor(random() * 2 ** 32)
    if (drawn >= bound) return null
    const id = ids.generateTraceId()
    const words = [0, 8, 16].map((start) => Number.parseInt(id.slice(start, start + 8), 16))
    const last = words.reduce((sum, word) => sum ^ word, drawn) >>> 0
    return id.slice(0, 24) + last.toString(16).padStart(8, "0")
  }
}

/** The parts that all spans of a process share. */
interface SpanParts {
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
class RecordedSpan implements Span {
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
