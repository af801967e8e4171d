/** Values of a span. They never hold a key, input, a query, an answer or a URL that a customer has chosen. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** One measured part of a request. */
export interface Span {
  /** The header `traceparent` (W3C Trace Context), by which the work of another server becomes a part of this span. */
  readonly traceparent: string
  /** Begins a part of this span. `client`: it waits for another server. */
  begin(name: string, attributes?: SpanAttributes, kind?: "internal" | "client"): Span
  /**
   * Ends it. A second end changes nothing.
   * @param error the failure of the service or of another server, in one word; null if there was none
   */
  end(attributes?: SpanAttributes, error?: string | null): void
}

/** The trace that a request belongs to. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** For the requests that this one causes. It says whether the trace is recorded. */
  readonly traceparent: string
  /** Null when the trace is not recorded: only its ids are passed on. */
  readonly span: Span | null
}

/** The name of a span, and its attributes at the beginning. */
export type SpanStart = { readonly name: string; readonly attributes: SpanAttributes }

/** Spans that were not sent, by reason. */
export type DroppedSpans = Readonly<Record<"queue_full" | "export_failed", number>>

/**
 * Records the parts of requests, and sends them to a collector of traces.
 * @example
 * const trace = tracer.begin(headers.get("traceparent"), "server", () => ({ name: "GET /v1/hmac", attributes: {} }))
 * trace?.span?.end()
 */
export interface Tracer {
  /**
   * Decides first whether a request is recorded. Returns null if it is not and belongs to no trace of its sender.
   * @param traceparent the header as it came; a malformed one counts as none
   * @param kind `server` for a request that came in, `client` for one that is sent
   * @param describe called only when the request is recorded
   */
  begin(traceparent: string | null, kind: "server" | "client", describe: () => SpanStart): RequestTrace | null
  dropped(): DroppedSpans
  /** Sends the spans that wait, for `limitMs` at most. Never throws. */
  stop(limitMs: number): Promise<void>
}
