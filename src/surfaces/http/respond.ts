import { fail, type Reply } from "../../call/execute.ts"
import { type Fault, inputFault } from "../../call/fault.ts"
import type { Trail } from "../../call/trail.ts"
import { negotiate } from "../../encode/accept.ts"
import { contentTypes, encodeEnvelope, type Format, formats, isFormat } from "../../encode/formats.ts"
import type { Began } from "../../observe/observer.ts"
import { crossOriginHeaders } from "./cross-origin.ts"
import { parseQuery, type Query } from "./query.ts"

/** A request on its way through this surface. */
export interface Exchange extends Began {
  readonly request: Request
}

/** What an answer is made for. */
export type Asked = Pick<Exchange, "request" | "requestId">

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
  formats.map((format) => [format, headersFor(contentTypes[format])]),
) as Record<Format, Headers>

/** The headers of every answer of a content type. */
export function headersFor(contentType: string): Headers {
  return new Headers({
    ...crossOriginHeaders,
    "content-type": contentType,
    // The same address answers in several types and to one key only.
    vary: "Accept",
    "cache-control": "no-store",
    // A caller's own text, read as a page by a browser that guesses types, could run as a script (Fetch §3.6).
    "x-content-type-options": "nosniff",
  })
}

/** What of a reply goes out. */
type Answer = Omit<Reply, keyof Trail>

/** Turns a reply into an HTTP response; `text` is its envelope, where that has been written already. */
export function respond(
  reply: Answer,
  format: Format,
  exchange: Asked,
  text: string = encodeEnvelope(format, reply.envelope),
): Response {
  return respondText(text, reply, withStable(format, reply.stable), exchange)
}

/**
 * Common headers and those that stay the same for a caller. Only for a caller who calls again and again are they put
 * together once: one pair a format is kept, since to keep one for each of many callers costs more than it saves.
 */
function withStable(format: Format, stable: Reply["stable"]): Headers {
  const last = lastTogether[format]
  if (last.stable === stable) {
    last.headers ??= new Headers([...prepared[format], ...Object.entries(stable)])
    return last.headers
  }
  lastTogether[format] = { stable, headers: null }
  const headers = new Headers(prepared[format])
  for (const name in stable) headers.set(name, stable[name] ?? "")
  return headers
}

interface Together {
  readonly stable: Reply["stable"]
  headers: Headers | null
}

const lastTogether = Object.fromEntries(
  formats.map((format): [Format, Together] => [format, { stable: {}, headers: null }]),
) as Record<Format, Together>

/** Answers with a text that is already in its format; `headers` are prepared ones, which the answer copies. */
export function respondText(
  text: string,
  { status, headers: changing }: Pick<Reply, "status" | "headers">,
  headers: Headers,
  { requestId }: Pick<Exchange, "requestId">,
): Response {
  const response = new Response(isLarge(text) ? toStream(text) : text, { status, headers })
  // Into the copy: one that is made before is copied once more.
  response.headers.set("x-request-id", requestId)
  for (const name in changing) response.headers.set(name, changing[name] ?? "")
  return response
}

/** Bun gathers what it writes, headers included, in a buffer of 16 KiB. */
const maxGatheredBytes = 15_000

function isLarge(text: string): boolean {
  return text.length * 3 > maxGatheredBytes && Buffer.byteLength(text) > maxGatheredBytes
}

/**
 * Where an answer comes after a wait and does not fit that buffer, Bun 1.4.5 sends each part of each header by itself,
 * some fifty system calls (oven-sh/bun#41341). A stream that gives all of its text before it is filled to the mark goes
 * out in one, and with a Content-Length.
 */
function toStream(text: string): ReadableStream {
  const source: Bun.DirectUnderlyingSource = {
    type: "direct",
    pull(controller) {
      controller.write(text)
      controller.close()
    },
  }
  return new ReadableStream(source, { highWaterMark: 3 * text.length })
}

/** Answers with a fault, in the format that the request asks for. */
export function respondFault(fault: Fault, exchange: Asked): Response {
  const { request } = exchange
  return respond(fail(fault), negotiateFormat(request, parseQuery(request.url)).format, exchange)
}
