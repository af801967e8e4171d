import { addressOf, type CodeCall } from "../../../code-examples/code-call.ts"
import { nowMs, sendRequest } from "../../client/browser.ts"
import { noteUnreachable } from "../../client/connection.ts"
import { Unreachable } from "../../client/problem.ts"

/** What came back for a call. */
export interface CallAnswer {
  readonly status: number
  readonly body: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly ms: number
  /** The message of a refusal; null for a success. */
  readonly error: string | null
  /** The parameter that the message is about. */
  readonly parameter: string | null
}

/**
 * Sends a call as any program would: with the key, without the session.
 * @throws Unreachable
 */
export async function sendCall(call: CodeCall): Promise<CallAnswer> {
  const started = nowMs()
  const init: RequestInit = {
    method: call.method,
    credentials: "omit",
    cache: "no-store",
    headers: {
      "x-api-key": call.key,
      accept: "application/json",
      ...(call.method === "POST" && { "content-type": "application/json" }),
    },
    ...(call.method === "POST" && { body: JSON.stringify(call.input) }),
  }
  try {
    const response = await sendRequest(addressOf(call), init)
    const body = await response.text()
    const error = response.ok ? null : errorIn(body)
    return {
      status: response.status,
      body: call.format === undefined || call.format === "json" ? pretty(body) : body,
      headers: [...response.headers].filter(([name]) =>
        /^(?:x-(?!content)|ratelimit|deprecation|sunset|content-type)/.test(name),
      ),
      ms: Math.max(0, nowMs() - started),
      error,
      parameter: error === null ? null : (/^The '(\w+)' parameter /.exec(error)?.[1] ?? null),
    }
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    noteUnreachable()
    throw new Unreachable()
  }
}

function errorIn(body: string): string {
  const found = /"error":\s*("(?:\\.|[^"\\])*")/.exec(body)?.[1]
  return found === undefined ? body : String(JSON.parse(found))
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    // A proxy in front of the service may answer with something else.
    return body
  }
}
