import { fail, type Reply } from "../../call/execute.ts"
import { type Fault, inputFault } from "../../call/fault.ts"
import { negotiate } from "../../encode/accept.ts"
import { contentTypes, encodeEnvelope, type Format, formats, isFormat } from "../../encode/formats.ts"
import { parseQuery, type Query } from "./query.ts"

/** The part of Elysia's context that makes the answer's head. */
export interface ResponseHead {
  status?: number | string
  headers: Record<string, string | number | undefined>
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

/** Writes a reply's head into `head` and gives its body. */
export function respond(reply: Reply, format: Format, request: Request, head: ResponseHead): string {
  const { headers } = head
  head.status = reply.status
  headers["content-type"] = contentTypes[format]
  // The same address answers in four formats and to one key only.
  headers.vary = "Accept"
  headers["cache-control"] = "no-store"
  for (const name in reply.headers) headers[name] = reply.headers[name]
  // What is left of a body that was refused unread must not be taken for the next request (RFC 9112 §9.3).
  if (!request.bodyUsed && request.body !== null) headers.connection = "close"
  return encodeEnvelope(format, reply.envelope)
}

/** Answers with a fault, in the format that the request asks for. */
export function respondFault(fault: Fault, request: Request, head: ResponseHead): string {
  return respond(fail(fault), negotiateFormat(request, parseQuery(request.url)).format, request, head)
}
