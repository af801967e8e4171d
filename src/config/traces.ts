import type { OtelSettings } from "../ports/tracing/otel-tracer.ts"
import { messageOf } from "../values/message-of.ts"
import { integer, oneOf } from "./readers.ts"
import { ConfigError } from "./setting-name.ts"

/** Environment variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>

const protocols = ["http/protobuf", "http/json"] as const
const compressions = ["none", "gzip"] as const
const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const

/**
 * Reads the standard variables of OpenTelemetry for traces. An empty variable counts as not set, as the standard says.
 * @returns null when no endpoint is set, or traces are turned off
 * @throws ConfigError that lists every mistake, one a line, without the value of a variable that may hold a secret
 */
export function readTraceSettings(env: Environment): OtelSettings | null {
  const mistakes: string[] = []

  function value(name: string): string | null {
    return env[name]?.trim() || null
  }
  /** The variable for traces comes before the one for all signals. */
  function nameOf(name: string): string {
    const own = name.replace("OTLP_", "OTLP_TRACES_")
    return value(own) === null ? name : own
  }
  function read<T>(name: string, otherwise: T, parse: (text: string) => T): T {
    const text = value(name)
    if (text === null) return otherwise
    try {
      return parse(text)
    } catch (thrown) {
      mistakes.push(`${name} ${messageOf(thrown)}.`)
      return otherwise
    }
  }
  function exporter<T>(name: string, otherwise: T, parse: (text: string) => T): T {
    return read(nameOf(`OTEL_EXPORTER_OTLP_${name}`), otherwise, parse)
  }

  const isDisabled =
    read("OTEL_SDK_DISABLED", "false", (text) => oneOf(["true", "false"])(text.toLowerCase())) === "true"
  const exporterName = read("OTEL_TRACES_EXPORTER", "otlp", oneOf(["otlp", "none"]))
  const endpoint = nameOf("OTEL_EXPORTER_OTLP_ENDPOINT")
  const url = read(endpoint, null, (text) => toUrl(text, endpoint === "OTEL_EXPORTER_OTLP_ENDPOINT"))
  if (isDisabled || exporterName === "none") return null
  if (value(endpoint) === null) {
    if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"))
    return null
  }

  const maxSpans = read("OTEL_BSP_MAX_QUEUE_SIZE", 2_048, integer(1, 1_000_000))
  const settings = {
    url: url ?? "",
    protocol: exporter("PROTOCOL", "http/protobuf", toProtocol),
    headers: {
      ...read("OTEL_EXPORTER_OTLP_HEADERS", {}, readHeaders),
      ...read("OTEL_EXPORTER_OTLP_TRACES_HEADERS", {}, readHeaders),
    },
    compression: exporter("COMPRESSION", "none", oneOf(compressions)),
    timeoutMs: exporter("TIMEOUT", 10_000, integer(1, 600_000)),
    files: {
      ca: exporter<string | null>("CERTIFICATE", null, String),
      cert: exporter<string | null>("CLIENT_CERTIFICATE", null, String),
      key: exporter<string | null>("CLIENT_KEY", null, String),
    },
    sampler: toSampler(
      read("OTEL_TRACES_SAMPLER", "parentbased_always_on", oneOf(samplers)),
      read("OTEL_TRACES_SAMPLER_ARG", null, (text) => text),
      mistakes,
    ),
    resource: {
      "service.name": "penknife",
      ...read("OTEL_RESOURCE_ATTRIBUTES", {}, readPairs),
      ...(value("OTEL_SERVICE_NAME") && { "service.name": value("OTEL_SERVICE_NAME") ?? "" }),
    },
    queue: {
      maxSpans,
      maxSpansPerMessage: Math.min(
        maxSpans,
        read("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512, integer(1, maxSpans)),
      ),
      delayMs: read("OTEL_BSP_SCHEDULE_DELAY", 5_000, integer(0, 600_000)),
      timeoutMs: read("OTEL_BSP_EXPORT_TIMEOUT", 30_000, integer(1, 600_000)),
    },
  } satisfies OtelSettings
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"))
  return settings
}

/** The path of traces is added to the endpoint for all signals; the endpoint for traces is not changed. */
function toUrl(text: string, isForAll: boolean): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error("must be an http:// or https:// URL, such as http://127.0.0.1:4318")
  if (isForAll) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`
  return url.href
}

function toProtocol(text: string): OtelSettings["protocol"] {
  if (text === "grpc")
    throw new Error(
      "must be http/protobuf or http/json: gRPC is not supported. Collectors take OTLP over HTTP at port 4318",
    )
  return oneOf(protocols)(text)
}

function toSampler(name: (typeof samplers)[number], argument: string | null, mistakes: string[]) {
  const root = name.replace("parentbased_", "") as OtelSettings["sampler"]["root"]
  const sampler = { root, parentDecides: name.startsWith("parentbased_"), share: 1 }
  if (root !== "traceidratio" || argument === null) return sampler
  const share = Number(argument)
  if (!(share >= 0 && share <= 1))
    mistakes.push("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, such as 0.01.")
  return { ...sampler, share }
}

/** Reads `key=value,key=value`, percent-encoded, as the headers and resource attributes of OpenTelemetry are written. */
function readPairs(text: string): Readonly<Record<string, string>> {
  const parts = text.split(",").map((part) => part.trim())
  return Object.fromEntries(parts.filter((part) => part !== "").map(readPair))
}

/**
 * {@link readPairs} for HTTP headers. A wrong header would make the HTTP client refuse every message (RFC 9110 §5.1 and §5.5).
 * Framing headers would cut messages off.
 */
function readHeaders(text: string): Readonly<Record<string, string>> {
  const headers = readPairs(text)
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new Error("must have names and values that HTTP allows, without line breaks")
    if (/^(content-length|transfer-encoding|connection)$/i.test(name))
      throw new Error("must not have content-length, transfer-encoding or connection")
  }
  return headers
}

/** The message does not repeat the text, which may be a secret. */
function readPair(part: string): readonly [name: string, value: string] {
  const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(part) ?? []
  try {
    if (name !== "") return [decodeURIComponent(name.trim()), decodeURIComponent(value.trim())]
  } catch (thrown) {
    if (!(thrown instanceof URIError)) throw thrown
  }
  throw new Error("must be a list such as name=value,name=value, percent-encoded")
}
