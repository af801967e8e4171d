import { fail, type Reply } from "../../call/execute.ts"
import { type Fault, inputFault } from "../../call/fault.ts"
import { negotiate } from "../../encode/accept.ts"
import { contentTypes, encodeEnvelope, type Format, formats, isFormat } from "../../encode/formats.ts"
import { crossOriginHeaders } from "./cross-origin.ts"
import { parseQuery, type Query } from "./query.ts"

/** A request on its way through this surface. */
export interface Exchange {
  readonly request: Request
  readonly requestId: string
  /** The client's IP address. */
  readonly address: () => string
}

/** The format an answer goes out in, and what is wrong with the `format` parameter, if anything. */
export interface Negotiated {
  readonly format: Format
  readonly problem: Fault | null
}

/** `?format=` wins over `Accept`. A `format` that cannot be met is answered in what `Accept` asks for. */
export function negotiateFormat(request: Request, query: Query): Negotiated {
  const asked = query.values.get("format")
  if (asked === undefined) return { format: negotiate(request.headers.get("accept")), problem: null }
  const [format] = asked
  if (format !== undefined && asked.length === 1 && isFormat(format)) return { format, problem: null }
  return {
    format: negotiate(request.headers.get("accept")),
    problem: inputFault(
      "format",
      asked.length > 1
        ? `must be given once, not ${asked.length} times`
        : `must be one of ${formats.join(", ")}`,
    ),
  }
}

/** What every answer in a format carries. Copying prepared headers costs a third of building them. */
const prepared = Object.fromEntries(
  formats.map((format) => [
    format,
    new Headers({
      ...crossOriginHeaders,
      "content-type": contentTypes[format],
      // The same address answers in four formats and to one key only.
      vary: "Accept",
      "cache-control": "no-store",
    }),
  ]),
) as Record<Format, Headers>

/** Turns a reply into an HTTP response. */
export function respond(
  reply: Reply,
  format: Format,
  { request, requestId }: Omit<Exchange, "address">,
): Response {
  const headers = new Headers(prepared[format])
  headers.set("x-request-id", requestId)
  for (const name in reply.headers) headers.set(name, reply.headers[name] ?? "")
  // What is left of a body that was refused unread must not be taken for the next request (RFC 9112 §9.3).
  if (request.method !== "GET" && !request.bodyUsed && request.body !== null)
    headers.set("connection", "close")
  return new Response(encodeEnvelope(format, reply.envelope), { status: reply.status, headers })
}

/** Answers with a fault, in the format that the request asks for. */
export function respondFault(fault: Fault, exchange: Omit<Exchange, "address">): Response {
  const { request } = exchange
  return respond(fail(fault), negotiateFormat(request, parseQuery(request.url)).format, exchange)
}
