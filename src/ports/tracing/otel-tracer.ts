import {
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SamplingDecision,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api"
import { parseTraceParent } from "@opentelemetry/core"
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources"
import { AlwaysOnSampler, RandomIdGenerator, TracerProvider } from "@opentelemetry/sdk-trace"
import type { Timer } from "../../apis/contract.ts"
import type { Log } from "../log.ts"
import type { Span, Tracer } from "../tracer.ts"
import { createExporter, type ExporterSettings } from "./exporter.ts"
import { type SamplerSettings, toSampler } from "./sampler.ts"
import { createSpanQueue, type QueueSettings } from "./span-queue.ts"

export interface OtelSettings extends ExporterSettings {
  readonly sampler: SamplerSettings
  readonly resource: Readonly<Record<string, string>>
  readonly queue: QueueSettings
}

interface TracerParts {
  readonly timer: Timer
  readonly log: Pick<Log, "info" | "warn">
  readonly version: string
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const

/** Traces by the SDK of OpenTelemetry, sent over HTTP. Loaded only when an endpoint is set. */
export function createOtelTracer(settings: OtelSettings, { timer, log, version }: TracerParts): Tracer {
  const ids = new RandomIdGenerator()
  /** The id on which the decision was made. The SDK asks for it when it makes the first span of a trace. */
  let traceId = ""
  const sampler = toSampler(settings.sampler)
  const queue = createSpanQueue(createExporter(settings), settings.queue, log)
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        "service.version": version,
        "service.instance.id": crypto.randomUUID(),
        ...settings.resource,
      }),
    ),
    // It makes spans of requests that are recorded only.
    sampler: new AlwaysOnSampler(),
    idGenerator: { generateTraceId: () => traceId, generateSpanId: () => ids.generateSpanId() },
    spanProcessors: [queue.processor],
  })
  const tracer = provider.getTracer("penknife", version)

  return {
    begin(traceparent, kind, describe) {
      const parent = traceparent === null ? null : parseTraceParent(traceparent)
      const context = parent
        ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true })
        : ROOT_CONTEXT
      const id = parent?.traceId ?? ids.generateTraceId()
      const { decision } = sampler.shouldSample(context, id, "", kinds[kind], {}, [])
      if (decision !== SamplingDecision.RECORD_AND_SAMPLED) {
        return parent && { traceId: id, traceparent: toTraceparent(parent, false), span: null }
      }
      const { name, attributes } = describe()
      traceId = id
      const span = toSpan(tracer.startSpan(name, { kind: kinds[kind], attributes }, context), tracer)
      return { traceId: id, traceparent: span.traceparent, span }
    },
    dropped: queue.dropped,
    async stop(limitMs) {
      let cancel = () => {}
      const limit = new Promise<void>((resolve) => {
        cancel = timer.after(limitMs, resolve)
      })
      // The queue logs and counts what fails.
      const flushed = provider.shutdown().catch(() => {})
      await Promise.race([flushed, limit])
      cancel()
      queue.close()
    },
  }
}

function toSpan(span: OtelSpan, tracer: OtelTracer): Span {
  return {
    traceparent: toTraceparent(span.spanContext(), true),
    begin: (name, attributes = {}, kind = "internal") =>
      toSpan(
        tracer.startSpan(name, { kind: kinds[kind], attributes }, trace.setSpan(ROOT_CONTEXT, span)),
        tracer,
      ),
    end(attributes, error = null) {
      if (attributes) span.setAttributes(attributes)
      if (error !== null) {
        span.setAttribute("error.type", error)
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
}

/** W3C Trace Context, version 00. */
function toTraceparent(
  { traceId, spanId }: Pick<SpanContext, "traceId" | "spanId">,
  isRecorded: boolean,
): string {
  return `00-${traceId}-${spanId}-${isRecorded ? "01" : "00"}`
}
