import type { Config } from "../config/load.ts"
import { ConfigError } from "../config/setting-name.ts"
import { readTraceSettings } from "../config/traces.ts"
import type { Log } from "../ports/log.ts"
import { keepAliveTimer } from "../ports/timer.ts"
import type { Tracer } from "../ports/tracer.ts"
import { messageOf } from "../values/message-of.ts"

/**
 * Opens the tracer of a service; null when no endpoint is set. The libraries are loaded only then, since they delay the start.
 * @throws ConfigError when a variable is wrong, or a file that one names cannot be read
 */
export async function openTracer(
  config: Pick<Config, "otelEnv">,
  { log, version }: { readonly log: Log; readonly version: string },
): Promise<Tracer | null> {
  const settings = readTraceSettings(config.otelEnv)
  if (settings === null) return null
  const { createOtelTracer } = await import("../ports/tracing/otel-tracer.ts")
  try {
    return createOtelTracer(settings, { timer: keepAliveTimer, log, version })
  } catch (thrown) {
    throw new ConfigError(`A file that OTEL_EXPORTER_OTLP_… names cannot be used: ${messageOf(thrown)}.`)
  }
}

/** A supervisor kills a worker that has not stopped after 12 s. */
const stopMs = 11_500

/** How long a service that stops since `elapsedMs` waits for its last traces: 2 s, or less when its calls took long. */
export function traceFlushMs(elapsedMs: number): number {
  return Math.min(2_000, Math.max(500, stopMs - elapsedMs))
}
