import { ExportResultCode } from "@opentelemetry/core"
import { OTLPExporterError } from "@opentelemetry/otlp-exporter-base"
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from "@opentelemetry/sdk-trace"
import { messageOf } from "../../values/message-of.ts"
import type { Log } from "../log.ts"

export interface QueueSettings {
  /** Ended spans that are not sent yet; more are dropped. */
  readonly maxSpans: number
  readonly maxSpansPerMessage: number
  readonly delayMs: number
  readonly timeoutMs: number
}

/**
 * Ended spans on their way to a collector: the batch processor of OpenTelemetry behind a bound that counts spans being sent too,
 * so that a silent collector fills no memory. The beginning and the end of a failure are logged once each.
 */
export function createSpanQueue(
  exporter: SpanExporter,
  { maxSpans, maxSpansPerMessage, delayMs, timeoutMs }: QueueSettings,
  log: Pick<Log, "info" | "warn">,
) {
  const dropped = { queue_full: 0, export_failed: 0 }
  let waiting = 0
  let isFailing = false
  let isClosed = false

  const counting: SpanExporter = {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (!isClosed) take(spans.length, result.code === ExportResultCode.SUCCESS, result.error)
        done(result)
      })
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }

  function take(spans: number, isSent: boolean, cause: unknown): void {
    waiting -= spans
    if (!isSent) dropped.export_failed += spans
    if (isSent !== isFailing) return
    isFailing = !isSent
    if (isSent) log.info("traces are exported again", {})
    else log.warn("traces not exported", { cause: causeOf(cause), problem: unreachable })
  }

  const batches = new BatchSpanProcessor({
    exporter: counting,
    maxQueueSize: maxSpans,
    maxExportBatchSize: maxSpansPerMessage,
    scheduledDelayMillis: delayMs,
    exportTimeoutMillis: timeoutMs,
  })

  return {
    add(span: ReadableSpan) {
      if (waiting >= maxSpans) {
        dropped.queue_full++
        return
      }
      waiting++
      batches.onEnd(span)
    },
    /** Sends all spans that wait, and takes no more. Rejects if that fails. */
    flush: () => batches.shutdown(),
    dropped: () => ({ ...dropped }),
    /** Drops the spans that were not sent. */
    close() {
      isClosed = true
      if (waiting === 0) return
      dropped.export_failed += waiting
      log.warn("traces of the last seconds not exported", { spans: waiting })
      waiting = 0
    },
  }
}

/** The library's message for an answer that refuses is the reason phrase alone, which may be empty. */
function causeOf(thrown: unknown): string {
  const status = thrown instanceof OTLPExporterError ? thrown.code : undefined
  return [status, messageOf(thrown)].filter(Boolean).join(" ")
}

const unreachable =
  "The collector of OTEL_EXPORTER_OTLP_ENDPOINT does not take them. They are dropped and counted until it does."
