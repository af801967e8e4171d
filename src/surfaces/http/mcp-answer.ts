import type { Fault } from "../../call/fault.ts"
import { setAnswerHeaders } from "./reply/headers.ts"
import { pulledStream, type StreamParts } from "./reply/pulled-stream.ts"
import { type AnswerSettings, MethodNotAllowed } from "./request.ts"

/** An answer that was read whole, or the beginning of an event stream and what is still to come. */
type McpAnswer = { readonly text: string } | LiveAnswer

interface LiveAnswer {
  readonly first: Uint8Array
  readonly rest: Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">
}

/** Longer first events are the answer itself, which has no later ones. */
const maxNoticeBytes = 65_536

/**
 * Reads the answer of the protocol's library. An event stream is read whole when its first event is the answer, with which
 * it ends; clients of earlier revisions always get one. A stream that begins with anything else may stay open for long.
 */
export async function readAnswer(response: Response): Promise<McpAnswer> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
  if (!isStream || response.body === null) return { text: await response.text() }
  const rest = response.body.getReader()
  const pieces: Uint8Array[] = []
  for (let next = await rest.read(); !next.done; next = await rest.read()) {
    if (pieces.length === 0 && !isAnswer(next.value)) return { first: next.value, rest }
    pieces.push(next.value)
  }
  return { text: Buffer.concat(pieces).toString() }
}

/** Whether an event is a JSON-RPC response. Anything else is a comment, a notification or a request. */
function isAnswer(event: Uint8Array): boolean {
  if (event.byteLength > maxNoticeBytes) return true
  const [, data] = /^data: (.*)$/m.exec(Buffer.from(event).toString()) ?? []
  return data !== undefined && !Object.hasOwn(JSON.parse(data), "method")
}

/**
 * Passes an event stream on as it comes.
 * @param finish is called once, when the stream has ended or its client has gone
 */
export function toLiveStream(
  { first, rest }: LiveAnswer,
  finish: () => Promise<void>,
  parts: StreamParts,
): ReadableStream {
  let begun: Uint8Array | null = first
  return pulledStream(parts, {
    async next() {
      const value = begun ?? (await rest.read()).value ?? null
      begun = null
      return value
    },
    finish() {
      rest.cancel().catch(() => {})
      return finish()
    },
  })
}

/** The codes of JSON-RPC 2.0 §5.1, and the first of those that a server may choose. */
const codes = { parseError: -32_700, invalidRequest: -32_600, ownError: -32_000 } as const

/** Sets status and headers for a refusal outside of the protocol's own layer, and returns its body: a JSON-RPC error. */
export function sendRefusal(fault: Fault, set: AnswerSettings, id: string | number | null = null): string {
  const { status, retryAfterSeconds, code } = fault
  set.status = status
  setAnswerHeaders(set.headers, { status, retryAfterSeconds, fault: code })
  // Keys of one service are refused alike for every `Accept`.
  delete set.headers.vary
  if (fault instanceof MethodNotAllowed) set.headers.allow = fault.allow
  return toError(code === "inputRejected" ? codes.parseError : codes.ownError, fault.message, set, id)
}

/** The refusal of a value that is no single message: revisions since 2025-06-18 have no lists of them. */
export function sendRefusalOfValue(set: AnswerSettings): string {
  set.status = 400
  set.headers["cache-control"] = "no-store"
  return toError(
    codes.invalidRequest,
    "The request body must be one message, a JSON object. Send each message in its own request.",
    set,
    null,
  )
}

function toError(code: number, message: string, set: AnswerSettings, id: string | number | null): string {
  set.headers["content-type"] = "application/json"
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })
}
