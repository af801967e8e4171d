/** A refused body is read away up to this much and this long; whoever sends more finds the connection closed. */
const maxBytes = 16 * 1_048_576
const maxMs = 5_000

/**
 * Holds an answer back until what is left of the request's body has been read away. A server that answers and closes while
 * the client still sends resets the connection, and the client never reads the answer (RFC 9112 §9.6).
 */
export async function afterBody(request: Request, answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer
  if (request.bodyUsed || request.body === null) return response
  if (!(await drain(request.body))) response.headers.set("connection", "close")
  return response
}

/** Whether the body ended within the bounds. */
async function drain(body: ReadableStream<Uint8Array>): Promise<boolean> {
  const reader = body.getReader()
  const overdue = setTimeout(() => reader.cancel().catch(() => {}), maxMs)
  try {
    for (let bytes = 0; bytes <= maxBytes; ) {
      const { done, value } = await reader.read()
      if (done) return bytes <= maxBytes
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
