import { fail, type Reply } from "../../call/execute.ts"
import { type Fault, inputFault } from "../../call/fault.ts"
import type { TextInput } from "../../call/input.ts"
import type { Trail } from "../../call/trail.ts"
import { negotiate } from "../../encode/accept.ts"
import { contentTypes, encodeEnvelope, type Format, formats, isFormat } from "../../encode/formats.ts"
import type { RequestStart } from "../../observe/request.ts"
import { createAnswerHeaders, type FillHeaders } from "./answer-headers.ts"
import { parseQuery } from "./query.ts"

/** A request on its way through this surface. */
export interface Exchange extends RequestStart {
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
export function negotiateFormat(request: Request, { parameters }: TextInput): Negotiated {
  let asked: string | null = null
  let count = 0
  for (const { name, text } of parameters) {
    if (name !== "format" || text === null) continue
    asked ??= text
    count++
  }
  if (asked !== null && count === 1 && isFormat(asked)) return agreed[asked]
  const format = negotiate(request.headers.get("accept"))
  if (asked === null) return agreed[format]
  return {
    format,
    problem: inputFault(
      "format",
      count > 1 ? `must be given once, not ${count} times` : `must be one of ${formats.join(", ")}`,
    ),
  }
}

const agreed = Object.fromEntries(
  formats.map((format): [Format, Negotiated] => [format, { format, problem: null }]),
) as Record<Format, Negotiated>

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
