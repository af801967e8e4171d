import type { Fault } from "../../call/fault.ts"
import { MethodNotAllowed } from "./paths.ts"
import { setAnswerHeaders } from "./reply/headers.ts"
import type { AnswerSettings } from "./request.ts"

/** The codes of JSON-RPC 2.0 §5.1, and the first of those that a server may choose. */
const codes = { parseError: -32_700, invalidRequest: -32_600, ownError: -32_000 } as const

/** Sets status and headers for a refusal outside of the protocol's own layer, and returns its body: a JSON-RPC error. */
export function refuse(fault: Fault, set: AnswerSettings, id: string | number | null = null): string {
  const { status, retryAfterSeconds, code } = fault
  set.status = status
  setAnswerHeaders(set.headers, { status, retryAfterSeconds, fault: code })
  // Keys of one service are refused alike for every `Accept`.
  delete set.headers.vary
  if (fault instanceof MethodNotAllowed) set.headers.allow = fault.allow
  return toError(code === "inputRejected" ? codes.parseError : codes.ownError, fault.message, set, id)
}

/** The refusal of a value that is no single message: revisions since 2025-06-18 have no lists of them. */
export function refuseValue(set: AnswerSettings): string {
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
