import type { Intake } from "./intake.ts"
import { httpLimits } from "./limits.ts"

/**
 * Holds an answer back until what is left of the request's body has been read away. A server that answers and closes while
 * the client still sends resets the connection, and the client never reads the answer (RFC 9112 §9.6).
 */
export async function afterBody(
  request: Request,
  answer: Response | Promise<Response>,
  intake: Intake,
): Promise<Response> {
  const response = await answer
  if (request.bodyUsed || request.body === null) return response
  intake.awaited++
  const ended = await drain(request.body, Math.min(httpLimits.drainSeconds * 1_000, intake.timeoutMs))
  intake.awaited--
  if (!ended) response.headers.set("connection", "close")
  return response
}

/** Whether the body ended within the bounds. */
async function drain(body: ReadableStream<Uint8Array>, maxMs: number): Promise<boolean> {
  const maxBytes = httpLimits.drainBytes
  const reader = body.getReader()
  let late = false
  const overdue = setTimeout(() => {
    late = true
    reader.cancel().catch(() => {})
  }, maxMs)
  try {
    for (let bytes = 0; bytes <= maxBytes; ) {
      const { done, value } = await reader.read()
      if (done) return !late && bytes <= maxBytes
      bytes += value.byteLength
    }
    return false
  } catch {
    // The client hung up: there is nobody to answer.
    return false
  } finally {
    clearTimeout(overdue)
  }
}
