import type { RequestTrace, Span, Tracer } from "../ports/tracer.ts"
import type { WebhookResponse } from "../ports/webhook-sender.ts"
import type { DueNotice } from "../store/outbox.ts"

/**
 * Begins the span of one attempt to deliver a notice, as a part of the request that caused the notice if that is known. It names
 * only host and port of the webhook's URL: the rest may hold a secret.
 */
export function beginDelivery(notice: DueNotice, tracer: Tracer): RequestTrace | null {
  return tracer.begin(notice.traceparent, "client", () => {
    const { protocol, hostname, port } = new URL(notice.webhook.url)
    return {
      name: "POST webhook",
      attributes: {
        "http.request.method": "POST",
        "url.scheme": protocol.slice(0, -1),
        // Only a URL has an IPv6 address in brackets.
        "server.address": hostname.replace(/^\[|\]$/g, ""),
        "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
        "penknife.event": notice.type,
        "penknife.notice": notice.id,
        "penknife.account": notice.accountId,
        ...(notice.attempts > 0 && { "http.request.resend_count": notice.attempts }),
      },
    }
  })
}

/** Ends the span with the answer. As for any client, 4xx is an error too. */
export function endDelivery(span: Span, response: WebhookResponse): void {
  if ("error" in response) span.end({}, "no_answer")
  else {
    const { status } = response
    span.end({ "http.response.status_code": status }, status >= 400 ? String(status) : null)
  }
}
