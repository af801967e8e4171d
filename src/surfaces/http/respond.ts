import { fail, type Reply } from "../../call/execute.ts"
import { type Fault, inputFault } from "../../call/fault.ts"
import type { Trail } from "../../call/trail.ts"
import { negotiate } from "../../encode/accept.ts"
import { contentTypes, encodeEnvelope, type Format, formats, isFormat } from "../../encode/formats.ts"
import type { Began } from "../../observe/observer.ts"
import { createAnswerHeaders, type FillHeaders } from "./answer-headers.ts"
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

const fillHeaders = Object.fromEntries(
  formats.map((format) => [format, createAnswerHeaders(contentTypes[format])]),
) as Record<Format, FillHeaders>

/** What of a reply goes out. */
type Answer = Omit<Reply, keyof Trail>

/** Turns a reply into an HTTP response; `text` is its envelope, where that has been written already. */
export function respond(
  reply: Answer,
  format: Format,
  exchange: Asked,
  text: string = encodeEnvelope(format, reply.envelope),
): Response {
  return respondText(text, reply, fillHeaders[format], exchange)
}

/** Answers with a text that is already in its format. */
export function respondText(
  text: string,
  { status, stable, headers: changing }: Pick<Reply, "status" | "stable" | "headers">,
  fill: FillHeaders,
  { requestId }: Pick<Exchange, "requestId">,
): Response {
  const headers = fill(requestId, stable, changing)
  return new Response(isLarge(text) ? toStream(text) : text, { status, headers })
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
