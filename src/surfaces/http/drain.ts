import type { Timer } from "../../apis/contract.ts"
import { readPieces } from "./body.ts"
import type { Intake } from "./intake.ts"
import { httpLimits } from "./limits.ts"

/**
 * Reads away the rest of a request's body before the answer: a server that closes while the client still sends resets the
 * connection, and the answer is lost (RFC 9112 §9.6). Returns false if the body is too long, slow or divided: close the
 * connection.
 */
export async function drainBody(request: Request, intake: Intake, timer: Timer): Promise<boolean> {
  if (request.bodyUsed || request.body === null) return true
  intake.waits.awaited++
  try {
    return await drain(request.body, Math.min(httpLimits.drainSeconds * 1_000, intake.timeoutMs), timer)
  } finally {
    intake.waits.awaited--
  }
}

async function drain(body: ReadableStream<Uint8Array>, maxMs: number, timer: Timer): Promise<boolean> {
  const { drainBytes: maxBytes, drainBytesPerPiece: bytesPerPiece } = httpLimits
  const reader = body.getReader()
  let isLate = false
  const cancel = timer.after(maxMs, () => {
    isLate = true
    reader.cancel().catch(() => {})
  })
  try {
    const end = await readPieces(reader, { maxBytes, bytesPerPiece }, () => {})
    return end === "whole" && !isLate
  } catch {
    // The client hung up and will not read the answer.
    return false
  } finally {
    cancel()
  }
}
