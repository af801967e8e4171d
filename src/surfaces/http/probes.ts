import { Elysia, NotFoundError } from "elysia"
import type { Clock } from "../../apis/contract.ts"
import { toFault } from "../../call/fault.ts"
import { toReply } from "../../call/pipeline.ts"
import type { Exposition } from "../../observe/report.ts"
import { type HttpContext, metricsTokenNeeded } from "./frame.ts"
import { toBody, toResponse } from "./reply/answer-body.ts"
import { ownAnswer, sameOriginOnly, send } from "./reply/headers.ts"
import { type IncomingApp, pathOf } from "./request.ts"

export interface ProbesParts {
  readonly version: string
  /** The commit that the program was built from; null when it is not known. */
  readonly commit?: string | null
  /** Throws when the store does not answer. */
  readonly ping: () => Promise<void>
  /** Reads the metrics for `/metrics`; null turns the path off. */
  readonly readMetrics: (() => Promise<Exposition>) | null
  /** The bearer token that readers of the metrics have to send; null lets everyone read. */
  readonly metricsToken: string | null
  /** `/ready` and `/metrics` do their work at most once in this time, since anyone may ask them as often as they like. */
  readonly sharedAnswerMs: number
}

/** Answers for operators and their machines: whether the process runs, whether it can charge, its metrics. None needs a key. */
export function probesFeature(
  base: IncomingApp,
  context: HttpContext,
  { version, commit = null, ping, readMetrics, metricsToken, sharedAnswerMs }: ProbesParts,
) {
  const { observer, pipeline, closing } = context
  const record = observer.recorderFor("none", "unkeyed")
  const { clock } = pipeline.ports
  const probe = createSharedResult(ping, sharedAnswerMs, clock)
  const app = new Elysia({ name: "probes" })
    .use(base)
    .get(
      "/health",
      ({ set, incoming }) => {
        record(incoming, { status: 200 })
        return send(ownAnswer(200, { data: { version, commit } }), "json", set)
      },
      { detail: { summary: "The process runs", tags: ["probe"] } },
    )
    .get(
      "/ready",
      async ({ set, incoming }) => {
        const isUp = () => ownAnswer(200, { data: {} })
        const reply = closing.isBegun
          ? stopping
          : await probe().then(isUp, (thrown) => toReply(toFault(thrown)))
        record(incoming, { status: reply.status })
        return send(reply, "json", set)
      },
      { detail: { summary: "Calls can be charged, and the service does not stop", tags: ["probe"] } },
    )
  if (!readMetrics) return app
  const mayRead = createTokenCheck(metricsToken)
  const gather = createSharedResult(readMetrics, sharedAnswerMs, clock)
  return app.get(
    "/metrics",
    async ({ request, set, incoming }) => {
      // Elysia takes `/metrics/` for the same path, which a rule of a proxy for `/metrics` does not match.
      if (pathOf(request.url) !== "/metrics") throw new NotFoundError()
      if (!mayRead(request.headers.get("authorization"))) {
        record(incoming, { status: 401 })
        return send(tokenNeeded, "json", set)
      }
      const { contentType, text } = await gather()
      record(incoming, { status: 200 })
      sameOriginOnly(set)
      set.headers["content-type"] = contentType
      set.headers["cache-control"] = "no-store"
      return toResponse(await toBody(text, null, context))
    },
    { detail: { summary: "Metrics as Prometheus text", tags: ["probe"] } },
  )
}

const stopping = ownAnswer(503, { code: "stopping", error: "The service stops: send no more calls here." })

const tokenNeeded = ownAnswer(401, { code: "metricsTokenNeeded", error: metricsTokenNeeded })

/** Compares digests, which have one length, in constant time, so that no one can guess a token byte by byte. */
function createTokenCheck(token: string | null): (authorization: string | null) => boolean {
  if (token === null) return () => true
  const expected = digestOf(`Bearer ${token}`)
  return (authorization) => crypto.timingSafeEqual(digestOf(authorization ?? ""), expected)
}

function digestOf(text: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(text).digest()
}

/**
 * Limits how often strangers can cause a costly piece of work: all who ask within `maxAgeMs` of its start, or while it runs,
 * get the same result, a failure too.
 */
export function createSharedResult<T>(
  work: () => Promise<T>,
  maxAgeMs: number,
  { monotonicMs }: Pick<Clock, "monotonicMs">,
): () => Promise<T> {
  // Two that ask a test double at the same time may be in different sessions.
  if (maxAgeMs === 0) return work
  let latest: Promise<T> | null = null
  let startedMs = 0
  let isRunning = false
  return () => {
    if (latest !== null && (isRunning || monotonicMs() - startedMs < maxAgeMs)) return latest
    startedMs = monotonicMs()
    isRunning = true
    latest = work().finally(() => {
      isRunning = false
    })
    return latest
  }
}
