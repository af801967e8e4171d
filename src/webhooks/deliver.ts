import { Webhook } from "standardwebhooks"
import { noticeData } from "../accounts/event-data.ts"
import { addressRule } from "../accounts/webhook.ts"
import type { Ports, Timer } from "../apis/contract.ts"
import { createDeliveryLoop, logFailure, maxDelayMs, nextDelayMs } from "../outbox/delivery-loop.ts"
import type { Log } from "../ports/log.ts"
import type { RequestTrace, Span, Tracer } from "../ports/tracer.ts"
import { type WebhookResponse, type WebhookSender, webhookLimitMs } from "../ports/webhook-sender.ts"
import type { AttemptResult, DueNotice, NoticeRecord, Outbox } from "../store/outbox.ts"
import { toIso } from "../values/time-text.ts"

/** Longer than an attempt can take, so that no other worker sends the same notice meanwhile. */
const leaseMs = 60_000
/** Longer than any wait that this program stores, including the attempt before it. */
const maxWaitMs = maxDelayMs + leaseMs + webhookLimitMs

interface DeliveryParts extends AttemptParts {
  readonly timer: Timer
  /** Chooses how each attempt is signed and sent; all alike by default. */
  readonly partsFor?: (notice: DueNotice) => Pick<AttemptParts, "sender" | "sign">
}

/** Creates what sends notices to webhooks, each at least once, but does not start it. Attempts at one time go to other hosts. */
export function createDelivery(parts: DeliveryParts) {
  const { outbox, log, partsFor } = parts
  const loop = createDeliveryLoop<DueNotice>(
    {
      maxAttempts: 256,
      maxRetries: 128,
      claim: ({ nowMs, busyPlaces, untriedOnly }) =>
        outbox.claim({ nowMs, leaseMs, maxWaitMs, busyHosts: busyPlaces, untriedOnly }),
      nextAttemptMs: outbox.nextAttemptMs,
      placeOf: ({ host }) => host,
      isRetry: ({ attempts }) => attempts > 0,
      attempt: (notice) => attempt(notice, { ...parts, ...partsFor?.(notice) }),
    },
    parts,
  )
  return {
    ...loop,
    /** Logs one line for each new notice and wakes the delivery. Never throws. */
    raised(notices: readonly NoticeRecord[]) {
      for (const notice of notices)
        log.info(notice.type, { notice: notice.id, ...noticeData(notice), state: notice.state })
      loop.wake()
    },
  }
}

interface AttemptParts extends Pick<Ports, "clock" | "random"> {
  readonly outbox: Outbox
  readonly sender: WebhookSender
  /** Makes the headers of an attempt; {@link signedHeaders} by default. */
  readonly sign?: typeof signedHeaders
  readonly log: Log
  /** Null or absent when no traces are recorded. */
  readonly tracer?: Tracer | null
}

/** Signs and sends a notice once and records the result. Never throws: without a record it is due again after its lease. */
async function attempt(notice: DueNotice, parts: AttemptParts): Promise<void> {
  const { outbox, clock, log } = parts
  try {
    const atMs = clock.now()
    const startMs = clock.monotonicMs()
    const trace = parts.tracer ? beginDelivery(notice, parts.tracer) : null
    const response = await send(notice, parts, atMs, trace)
    if (trace?.span) endDelivery(trace.span, response)
    const durationMs = Math.round(clock.monotonicMs() - startMs)
    const result = resultOf(notice, response, parts)
    const status = "status" in response ? response.status : null
    const error = "error" in response ? response.error : null
    await outbox.record(notice, { atMs, durationMs, status, error }, result)
    if (result.kind === "failed" || result.kind === "gone") {
      const { id, accountId: account } = notice
      log.error("notice not delivered", { notice: id, account, attempts: notice.attempts + 1, status, error })
    }
  } catch (cause) {
    logFailure(log, cause)
  }
}

function send(notice: DueNotice, parts: AttemptParts, nowMs: number, trace: RequestTrace | null) {
  const { sender, sign = signedHeaders } = parts
  const { url, secret, allowPrivate } = notice.webhook
  const body = JSON.stringify(toMessage(notice))
  const signed = sign(notice.id, body, secret, nowMs)
  const headers = trace ? { ...signed, traceparent: trace.traceparent } : signed
  return sender.send({ url, headers, body, allows: addressRule(new URL(url), allowPrivate) })
}

/** Follows Standard Webhooks. Redirects and most 4xx are tried again too, since receivers answer those during repairs. */
function resultOf(
  { attempts, waitedMs }: DueNotice,
  response: WebhookResponse,
  { clock, random }: AttemptParts,
): AttemptResult {
  if ("error" in response && response.retryMs !== undefined) {
    const { retryMs: delayMs } = response
    return delayMs === null ? { kind: "failed" } : { kind: "retry", delayMs }
  }
  const { status, retryAfter } = "status" in response ? response : { status: 0, retryAfter: null }
  if (status >= 200 && status <= 299) return { kind: "delivered" }
  if (status === 410) return { kind: "gone" }
  const delayMs = nextDelayMs({ failures: attempts + 1, waitedMs, retryAfter }, clock.now(), random)
  return delayMs === null ? { kind: "failed" } : { kind: "retry", delayMs }
}

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
function endDelivery(span: Span, response: WebhookResponse): void {
  if ("error" in response) span.end({}, "no_answer")
  else {
    const { status } = response
    span.end({ "http.response.status_code": status }, status >= 400 ? String(status) : null)
  }
}

/** The body of a notice, the same at every attempt. Its timestamp is when it was raised. */
export function toMessage(notice: NoticeRecord) {
  return { type: notice.type, timestamp: toIso(notice.raisedMs), data: noticeData(notice) }
}

/** Headers by Standard Webhooks. The timestamp is the attempt's, so that receivers can refuse a later replay. */
export function signedHeaders(id: string, body: string, secret: string, nowMs: number) {
  return {
    "content-type": "application/json",
    "user-agent": "penknife",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(nowMs / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, new Date(nowMs), body),
  }
}
