import type { Span } from "../ports/tracer.ts"
import type { Tally } from "./counts.ts"
import { creditsOf, type RequestEnd } from "./request.ts"

/**
 * Ends the span of a request with what the log says of it, except for the client's address. Probes and pages that went well would hide other
 * traces: a span that does not end is not sent.
 */
export function endRequestSpan(span: Span, { api, surface }: Tally, end: RequestEnd): void {
  const { status, caller, fault, apis } = end
  if (surface === "unkeyed" && status < 400) return
  span.end(
    {
      "http.response.status_code": status,
      "penknife.api": apis?.join(",") || api,
      "penknife.surface": surface,
      "penknife.credits": creditsOf(end),
      ...(fault && { "penknife.code": fault }),
      ...(caller && { "penknife.account": caller.account.id, "penknife.key": caller.key.id }),
    },
    status >= 500 ? fault || String(status) : null,
  )
}
