import type { SessionAnswer } from "../../admin/sessions/sessions.ts"
import { addressOf, type CodeCall, toCurl } from "../../code-examples/code-call.ts"
import { nowMs, sendRequest } from "../client/browser.ts"
import { noteUnreachable } from "../client/connection.ts"
import { Unreachable } from "../client/request.ts"
import type { Callable } from "./offered-api.ts"

/** The answer to a call. */
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

/** A customer who is signed in to the portal, as whom a page can call without a key. */
export interface Customer {
  /** Proves that the call comes from a page of this service. */
  readonly csrf: string
  /** Whether the plan has premium fields and parameters. */
  readonly premium: boolean
}

/** The customer of a session; null when nobody is signed in. */
export function toCustomer(session: SessionAnswer): Customer | null {
  return session.signed_in ? { csrf: session.csrf, premium: session.account?.premium ?? false } : null
}

/**
 * Sends a call: on behalf of a customer, or as any program would, with the key alone.
 * @param customer null to send the key of the call, or none if that is empty
 * @throws Unreachable
 */
export async function sendCall(call: CodeCall, customer: Customer | null): Promise<CallAnswer> {
  const started = nowMs()
  const isPost = call.method === "POST"
  const address = customer ? addressOf(call).replace("/v1/", "/portal/v1/calls/") : addressOf(call)
  const init: RequestInit = {
    method: customer ? "POST" : call.method,
    credentials: customer ? "same-origin" : "omit",
    cache: "no-store",
    headers: {
      accept: "application/json",
      ...(customer ? { "x-csrf-token": customer.csrf } : call.key !== "" && { "x-api-key": call.key }),
      ...(isPost && { "content-type": "application/json" }),
    },
    ...(isPost && { body: JSON.stringify(call.input) }),
  }
  try {
    const response = await sendRequest(address, init)
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

/** The example of an API as a command that works as it is. */
export function toCommand({ method, id, example }: Callable, key: string): string {
  return toCurl({ method, url: `${location.origin}/v1/${id}`, key, input: example })
}

/** The message of a refusal: of an API, of the session, or the first of GraphQL. */
function errorIn(body: string): string {
  const found = /"(?:error|detail|message)":\s*("(?:\\.|[^"\\])*")/.exec(body)?.[1]
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
