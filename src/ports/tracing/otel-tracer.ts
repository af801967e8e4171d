import { readFileSync } from "node:fs"
import { ROOT_CONTEXT, SamplingDecision, type SpanContext, SpanKind, trace } from "@opentelemetry/api"
import { parseTraceParent } from "@opentelemetry/core"
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import { CompressionAlgorithm } from "@opentelemetry/otlp-exporter-base"
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources"
import { RandomIdGenerator, type SpanExporter } from "@opentelemetry/sdk-trace"
import type { Timer } from "../../apis/contract.ts"
import { within } from "../../values/within.ts"
import type { Log } from "../log.ts"
import type { RequestTrace, SpanStart, Tracer } from "../tracer.ts"
import { RecordedSpan, type SpanParts } from "./recorded-span.ts"
import { createDraw, type SamplerSettings, toSampler } from "./sampler.ts"
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
export interface ExporterSettings {
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
