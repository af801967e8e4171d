import { afterAll } from "bun:test"
import { gunzipSync } from "node:zlib"
import { bytesOf, numberOf, readFields, textOf } from "./protobuf.ts"

/** A span as a collector gets it. Ids are hexadecimal. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Empty for the first of a trace. */
  readonly parentId: string
  readonly name: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly startNs: bigint
  readonly endNs: bigint
  readonly attributes: Readonly<Record<string, unknown>>
  /** 0 unset, 2 error. */
  readonly status: number
}

interface OtlpMessage {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The body without compression. */
  readonly bytes: Buffer
  readonly resource: Readonly<Record<string, unknown>>
  readonly spans: readonly ReceivedSpan[]
}

/** A collector of traces on loopback that reads OTLP over HTTP, JSON and protobuf. */
interface OtlpReceiver {
  readonly url: string
  readonly messages: readonly OtlpMessage[]
  spans(): readonly ReceivedSpan[]
  /** Resolves with all spans once they fulfil a condition. */
  until(isEnough: (spans: readonly ReceivedSpan[]) => boolean): Promise<readonly ReceivedSpan[]>
  /** Sets the status of the next answers; 200 at first. */
  answer(status: number): void
  /** All bytes of all bodies as text. */
  text(): string
}

/** Starts a collector, with TLS for localhost if there is a certificate. It ends with the test file. */
export function startOtlpReceiver(tls?: { readonly cert: string; readonly key: string }): OtlpReceiver {
  const messages: OtlpMessage[] = []
  const waiting = new Set<() => void>()
  let status = 200
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...(tls && { tls }),
    async fetch(request) {
      const { headers } = request
      const body = Buffer.from(await request.arrayBuffer())
      if (status !== 200) return new Response(null, { status })
      const bytes = headers.get("content-encoding") === "gzip" ? gunzipSync(body) : body
      const isJson = headers.get("content-type") === "application/json"
      const read = isJson ? readJson(bytes) : readProtobuf(bytes)
      const { pathname: path } = new URL(request.url)
      messages.push({ path, headers: Object.fromEntries(headers), bytes, ...read })
      for (const look of waiting) look()
      const type = isJson ? "application/json" : "application/x-protobuf"
      return new Response(isJson ? "{}" : "", { headers: { "content-type": type } })
    },
  })
  afterAll(() => server.stop(true))
  const spans = () => messages.flatMap((message) => message.spans)
  return {
    url: tls ? `https://localhost:${server.port}` : `http://127.0.0.1:${server.port}`,
    messages,
    spans,
    until: (isEnough) =>
      new Promise((resolve) => {
        const look = () => {
          if (!isEnough(spans())) return
          waiting.delete(look)
          resolve(spans())
        }
        waiting.add(look)
        look()
      }),
    answer(next) {
      status = next
    },
    text: () => messages.map(({ bytes }) => bytes.toString("latin1")).join("\n"),
  }
}

type Content = Pick<OtlpMessage, "resource" | "spans">

interface JsonAttribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface JsonBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly JsonAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly JsonSpan[] }[]
  }[]
}

interface JsonSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly JsonAttribute[]
  readonly status: { readonly code?: number }
}

function readJson(bytes: Buffer): Content {
  const { resourceSpans } = JSON.parse(bytes.toString()) as JsonBody
  const toAttributes = (list: readonly JsonAttribute[]) =>
    Object.fromEntries(
      list.map(({ key, value }) => [
        key,
        value.intValue === undefined ? Object.values(value)[0] : Number(value.intValue),
      ]),
    )
  return {
    resource: toAttributes(resourceSpans[0]?.resource.attributes ?? []),
    spans: resourceSpans
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
      .map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentId: span.parentSpanId ?? "",
        name: span.name,
        kind: span.kind,
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
        attributes: toAttributes(span.attributes),
        status: span.status.code ?? 0,
      })),
  }
}

/** The field numbers are those of opentelemetry/proto/trace/v1/trace.proto. */
function readProtobuf(bytes: Uint8Array): Content {
  const resourceSpans = bytesOf(bytes, 1)
  const [resource] = resourceSpans.flatMap((one) => bytesOf(one, 1))
  const spans = resourceSpans.flatMap((one) => bytesOf(one, 2)).flatMap((scope) => bytesOf(scope, 2))
  return {
    resource: resource ? attributesOf(resource, 1) : {},
    spans: spans.map((span) => ({
      traceId: hexOf(span, 1),
      spanId: hexOf(span, 2),
      parentId: hexOf(span, 4),
      name: textOf(span, 5),
      kind: Number(numberOf(span, 6)),
      startNs: numberOf(span, 7),
      endNs: numberOf(span, 8),
      attributes: attributesOf(span, 9),
      status: Number(bytesOf(span, 15).map((status) => numberOf(status, 3))[0] ?? 0n),
    })),
  }
}

const hexOf = (message: Uint8Array, field: number): string =>
  Buffer.from(bytesOf(message, field)[0] ?? []).toString("hex")

const attributesOf = (message: Uint8Array, field: number): Record<string, unknown> =>
  Object.fromEntries(
    bytesOf(message, field).map((pair) => [textOf(pair, 1), bytesOf(pair, 2).map(readValue)[0]]),
  )

function readValue(value: Uint8Array): unknown {
  const [first] = readFields(value)
  if (!first) return null
  const [kind, content] = first
  if (content instanceof Uint8Array) return new TextDecoder().decode(content)
  return kind === 2 ? content === 1n : Number(content)
}
