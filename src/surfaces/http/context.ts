import { Elysia } from "elysia"
import type { Server } from "elysia/universal"
import { Fault } from "../../call/fault.ts"
import type { Guests } from "../../call/guests.ts"
import type { Pipeline } from "../../call/pipeline.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { tooManyUnsent } from "../../call/unsent.ts"
import type { Observer } from "../../observe/observer.ts"
import type { CallsInProgress, Closing } from "./calls.ts"
import type { Intake } from "./read/intake.ts"
import { httpLimits } from "./read/limits.ts"
import type { PreparedHeaders } from "./reply/headers.ts"
import type { AnswerSettings, IncomingApp } from "./request.ts"

/** The parts that the features of the HTTP app share. */
export interface HttpContext {
  readonly apis: readonly PreparedApi[]
  readonly pipeline: Pipeline
  readonly observer: Observer
  readonly intake: Intake
  readonly calls: CallsInProgress
  /** The listening server; null before it listens. */
  readonly server: () => Pick<Server, "timeout"> | null
  /** Calls in progress at once; more are refused. */
  readonly maxCalls: number
  /**
   * Whether idle connections are closed and clients of the admin API slowed down. A test double, whose time stands, does neither.
   */
  readonly strict: boolean
  readonly prepared: PreparedHeaders
  /** The method of each path, for refusals: of the routes, and of the paths that features name below a wildcard. */
  readonly methods: Map<string, string>
  readonly closing: Closing
  /** The rules for calls without a key; null when they are refused. */
  readonly guests: Guests | null
  /** Whether a request came over HTTPS, to this server or to a proxy that is trusted to say so. */
  readonly isSecure: (request: Request) => boolean
  /** Host and port of the address that clients use; null when it is not configured. */
  readonly publicHost: string | null
}

/**
 * Why a new call is refused; null when there is room for it. A request that waits for its client to send more does not count,
 * or slow clients could fill the service. One whose answer is not read yet does count.
 */
export function overloadOf({ calls, maxCalls, pipeline }: HttpContext): Fault | null {
  if (calls.count - calls.awaited > maxCalls) return tooManyCalls
  return pipeline.unsent.isFull() ? tooManyUnsent : null
}

/** The refusal of one call too many (RFC 9110 §15.6.4). It uses no key, body or store, so that refusing costs little. */
export const tooManyCalls = new Fault(
  "overloaded",
  "The service is at its limit of calls under way. Nothing was charged; try again.",
  { retryAfterSeconds: 1 },
)

/** The refusal of metrics without their token. */
export const metricsTokenNeeded =
  "The metrics need the token of --metrics-token: send it as 'Authorization: Bearer TOKEN'."

/** An Elysia instance for a feature that needs no key. It records each answer. */
export function unkeyedFeature(name: string, base: IncomingApp, { observer }: HttpContext) {
  const record = observer.recorderFor("none", "unkeyed")
  return new Elysia({ name }).use(base).onAfterHandle(({ set, incoming }) => {
    record(incoming, { status: Number(set.status ?? 200) })
  })
}

/** Counts a call as in progress while `work` runs. */
export async function inProgress<T>({ calls }: HttpContext, work: () => Promise<T>): Promise<T> {
  calls.begin()
  try {
    return await work()
  } finally {
    calls.end()
  }
}

/** Leaves the rest of a body. If it is too long, or the server stops, the connection is closed after the answer. */
export async function finishBody(request: Request, set: AnswerSettings, context: HttpContext): Promise<void> {
  const { isBegun } = context.closing
  if (!(await context.intake.leave(request, isBegun)) || isBegun) set.headers.connection = "close"
}

/** Keeps the connection open for work that may take longer than an idle connection is kept. */
export async function keepConnectionOpen<T>(
  request: Request,
  context: HttpContext,
  work: () => Promise<T>,
): Promise<T> {
  const server = context.strict ? context.server() : null
  server?.timeout(request, httpLimits.longWorkSeconds)
  try {
    return await work()
  } finally {
    server?.timeout(request, httpLimits.idleSeconds)
  }
}
