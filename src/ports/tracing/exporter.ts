import { readFileSync } from "node:fs"
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import { CompressionAlgorithm } from "@opentelemetry/otlp-exporter-base"
import type { SpanExporter } from "@opentelemetry/sdk-trace"

export interface ExporterSettings {
  readonly url: string
  readonly protocol: "http/protobuf" | "http/json"
  readonly headers: Readonly<Record<string, string>>
  readonly compression: "none" | "gzip"
  readonly timeoutMs: number
  /** Messages that a stop may send at a time: the library drops further ones. */
  readonly maxMessages: number
  /** Names of PEM files; null without. */
  readonly files: { readonly ca: string | null; readonly cert: string | null; readonly key: string | null }
}

/**
 * The exporter of OpenTelemetry for OTLP over HTTP. It repeats what a collector cannot take right now, within the time limit.
 * @throws the system's error when a file cannot be read
 */
export function createExporter(settings: ExporterSettings): SpanExporter {
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
