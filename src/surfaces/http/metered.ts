import { Elysia } from "elysia"
import type { Caller } from "../../call/caller.ts"
import { admitGuest } from "../../call/guests.ts"
import type { RawInput } from "../../call/input.ts"
import {
  admit,
  answerAdmitted,
  giveWayWhilePresent,
  type Progress,
  type Reply,
  replyToThrown,
  type WorkResult,
} from "../../call/pipeline.ts"
import type { RecordRequest } from "../../observe/request-log.ts"
import { type createFrame, type HttpContext, leaveRequestBody, requireRoom } from "./frame.ts"
import { readJsonObject } from "./read/body.ts"
import { httpLimits } from "./read/limits.ts"
import { parseQuery } from "./read/query.ts"
import { type Negotiated, negotiateFormat } from "./reply/format.ts"
import { crossOrigin, replayedHeader, send } from "./reply/headers.ts"
import {
  type AnswerSettings,
  createListeningApp,
  type Exchange,
  type IncomingApp,
  type IncomingRequest,
  MethodNotAllowed,
} from "./request.ts"

/** How the requests of a route are admitted, read and recorded: `{ metered: … }` in the hooks of a route. */
interface MeteredRoute {
  readonly method: "GET" | "POST"
  /** Ids of the APIs that a request calls. */
  readonly apis: readonly string[]
  readonly record: RecordRequest
  /** Whether its work may take longer than an idle connection is kept. */
  readonly isLong?: boolean
  /** Whether a request without a key may count as a guest's. */
  readonly takesGuests?: boolean
  /** Whether a POST has its parameters in the query. */
  readonly readsQuery?: boolean
  /** Set where a session stands for the key. */
  readonly session?: {
    /** Returns the request with the key of its session, or throws what `sendRefusal` answers. */
    identify(exchange: Exchange): Promise<IncomingRequest>
    sendRefusal(thrown: unknown, exchange: Exchange): Promise<string>
  }
}

/** A request to a metered route, from its admission to its answer. */
interface MeteredCall extends Progress {
  readonly route: MeteredRoute
  readonly negotiated: Negotiated
  /** The parameters as they were sent. An empty query until the body is read. */
  raw: RawInput
  /** Whether it counts as in progress. */
  isOpen: boolean
}

/**
 * The part of Elysia's context that a handler of a metered route takes. The call is never null there: the macro has admitted it.
 */
export interface MeteredExchange extends Exchange {
  readonly call: MeteredCall | null
}

/** Lets the caller of a request in, or throws the fault that refuses it. */
type AdmitCall = (call: MeteredCall, incoming: IncomingRequest, request: Request) => Caller | Promise<Caller>

/**
 * The part of Elysia's context that the hooks read and set. They hand it to no function: Elysia would then prepare all of it,
 * which costs a fifth of a metered call.
 */
interface MeteredContext extends Omit<Exchange, "incoming"> {
  incoming: IncomingRequest
  call: MeteredCall | null
  query: unknown
}

/**
 * The macro `metered`: overload → identity → address → APIs → rate come before the route's own schema. For GET they are a
 * `transform`, and for POST the start of `parse`, since Elysia reads a body first of all. What a step or the schema throws is
 * answered here, with what is known of the caller.
 */
export function meteredRoutes(base: IncomingApp, context: HttpContext) {
  const { calls, intake, pipeline } = context

  function openCall(route: MeteredRoute, request: Request): MeteredCall {
    const raw = parseQuery(request.url)
    const negotiated = negotiateFormat(request, raw)
    calls.begin()
    setIdleSeconds(route, request, httpLimits.longWorkSeconds, context)
    return { route, negotiated, raw, caller: null, rate: null, isOpen: true }
  }

  /** Chosen once for a route, so that calls with a key cost nothing more. */
  function admitterOf({ apis, takesGuests = false }: MeteredRoute): AdmitCall {
    const { guests } = context
    const withKey: AdmitCall = (call, incoming) => admit(incoming, apis, pipeline, call)
    if (guests === null || !takesGuests) return withKey
    return (call, incoming, request) =>
      isGuest(request) ? admitGuest(guests, incoming, apis, pipeline, call) : withKey(call, incoming, request)
  }

  return new Elysia({ name: "metered" })
    .use(base)
    .decorate<"call", MeteredCall | null>("call", null)
    .macro({
      metered: (route: MeteredRoute, admitCall = admitterOf(route)) => ({
        ...(route.method === "GET"
          ? {
              transform: async (elysia: MeteredContext) => {
                const { request, incoming } = elysia
                // Elysia answers HEAD by GET, which would charge for an answer that nobody sees.
                if (request.method !== "GET") throw new MethodNotAllowed(request.method, "GET")
                const call = openCall(route, request)
                elysia.call = call
                requireRoom(context)
                const admitted = admitCall(call, incoming, request)
                if (admitted instanceof Promise) await admitted
                if (call.negotiated.problem) throw call.negotiated.problem
                elysia.query = call.raw
              },
            }
          : {
              parse: async (elysia: MeteredContext) => {
                const { request, set } = elysia
                if (route.session) {
                  const { incoming } = elysia
                  elysia.incoming = await route.session.identify({ request, set, incoming })
                }
                const call = openCall(route, request)
                elysia.call = call
                requireRoom(context)
                const admitted = admitCall(call, elysia.incoming, request)
                const caller = admitted instanceof Promise ? await admitted : admitted
                if (call.negotiated.problem) throw call.negotiated.problem
                if (route.readsQuery) return call.raw
                const giveWay = () => giveWayWhilePresent(elysia.incoming, caller.account.id, pipeline)
                const values = await readJsonObject(request, intake, giveWay)
                call.raw = { kind: "typed", values }
                return values
              },
            }),
        error: async ({ error, code, request, set, incoming, call }) => {
          const thrown = code === "PARSE" ? error.cause : error
          // A method that the route does not take is refused as on every other path.
          if (call === null) return route.session?.sendRefusal(thrown, { request, set, incoming })
          try {
            const reply = replyToThrown(thrown, incoming.requestId, call, pipeline)
            call.route.record(incoming, reply)
            return await sendRefusal(reply, call, { request, set }, context)
          } finally {
            closeCall(call, request, context)
          }
        },
      }),
    })
}

/**
 * Works for an admitted call and sends its answer.
 * @param work holds credits, runs and charges
 * @param sendSuccess makes the body of a success, whose headers it sets
 */
export async function answerMetered(
  { request, set, incoming, call }: MeteredExchange,
  context: HttpContext,
  work: (caller: Caller, call: MeteredCall) => Promise<WorkResult>,
  sendSuccess: (reply: Reply, call: MeteredCall) => Sent | Promise<Sent>,
): Promise<Sent> {
  if (call === null) throw new Error("a metered route must be admitted by the macro")
  try {
    const reply = await answerAdmitted(incoming, call, context.pipeline, (caller) => work(caller, call))
    call.route.record(incoming, reply)
    if (reply.fault !== null) return await sendRefusal(reply, call, { request, set }, context)
    if (context.closing.isBegun) set.headers.connection = "close"
    if (reply.isReplay) set.headers[replayedHeader] = "true"
    const sent = sendSuccess(reply, call)
    return sent instanceof Promise ? await sent : sent
  } finally {
    closeCall(call, request, context)
  }
}

/**
 * Whether a request names no key at all and comes from a program or a page of this service. Pages of other sites get no calls
 * for their visitors: their browsers say where a request comes from (Fetch Metadata; RFC 6454 §7).
 */
function isGuest({ headers, url }: Request): boolean {
  if (headers.has("x-api-key") || headers.has("authorization")) return false
  const site = headers.get("sec-fetch-site")
  if (site !== null) return site === "same-origin" || site === "none"
  const origin = headers.get("origin")
  return origin === null || (URL.canParse(origin) && new URL(origin).host === new URL(url).host)
}

type Sent = string | Response

async function sendRefusal(
  reply: Reply,
  { negotiated: { format, asProblem } }: MeteredCall,
  { request, set }: { readonly request: Request; readonly set: AnswerSettings },
  context: HttpContext,
): Promise<string> {
  await leaveRequestBody(request, set, context)
  return send(reply, format, set, asProblem)
}

function closeCall(call: MeteredCall, request: Request, context: HttpContext): void {
  if (!call.isOpen) return
  call.isOpen = false
  setIdleSeconds(call.route, request, httpLimits.idleSeconds, context)
  context.calls.end()
}

/** A route of long work keeps its connection open for longer while it works. */
function setIdleSeconds({ isLong }: MeteredRoute, request: Request, seconds: number, context: HttpContext) {
  if (isLong && context.strict) context.server()?.timeout(request, seconds)
}

/**
 * The app to which metered features add their routes. They are no instances of their own: Elysia would add each route twice, once
 * to the instance and once to this app, and there are two for each API.
 */
export type ServiceApp = ReturnType<typeof createServiceApp>

/** Makes the app of the service, without routes. Any page may call it. */
export function createServiceApp({ base, begin, context, headers }: ReturnType<typeof createFrame>) {
  return createListeningApp(begin)
    .headers(headers)
    .use(base)
    .use(crossOrigin())
    .use(meteredRoutes(base, context))
}
