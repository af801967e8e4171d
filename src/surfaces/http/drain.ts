import type { Timer } from "../../apis/contract.ts"
import type { Intake } from "./intake.ts"
import { httpLimits } from "./limits.ts"

/**
 * Reads away the rest of a request's body before the answer: a server that closes while the client still sends resets the
 * connection, and the answer is lost (RFC 9112 §9.6). Gives false when the body is too long or too slow: close the connection.
 */
export async function drainBody(request: Request, intake: Intake, timer: Timer): Promise<boolean> {
  if (request.bodyUsed || request.body === null) return true
  intake.awaited++
  try {
    return await drain(request.body, Math.min(httpLimits.drainSeconds * 1_000, intake.timeoutMs), timer)
  } finally {
    intake.awaited--
  }
}

async function drain(body: ReadableStream<Uint8Array>, maxMs: number, timer: Timer): Promise<boolean> {
  const maxBytes = httpLimits.drainBytes
  const reader = body.getReader()
  let isLate = false
  const cancel = timer.after(maxMs, () => {
    isLate = true
    reader.cancel().catch(() => {})
  })
  try {
    for (let bytes = 0; bytes <= maxBytes; ) {
      const { done, value } = await reader.read()
      if (done) return !isLate && bytes <= maxBytes
      bytes += value.byteLength
    }
    return false
  } catch {
    // The client hung up and will not read the answer.
    return false
  } finally {
    cancel()
  }
}
