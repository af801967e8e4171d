import { type Context, Elysia } from "elysia"
import type { CallerRequest } from "../../call/caller.ts"
import type { RequestStart } from "../../observe/request-record.ts"
import { requireHost } from "./host.ts"
import { requireOneId } from "./request-id.ts"

/** A request as it arrived, for the pipeline and for the record. */
export interface IncomingRequest extends CallerRequest, RequestStart {}

/** The status and headers of the answer, which Elysia sends with what a handler returns. */
export type AnswerSettings = Pick<Context["set"], "headers" | "status">

/** The part of Elysia's context that a handler takes. */
export interface Exchange {
  readonly request: Request
  readonly set: AnswerSettings
  readonly incoming: IncomingRequest
}

/** The start of an Elysia instance whose handlers have `incoming`. */
export type IncomingApp = ReturnType<typeof incomingRequests>

/**
 * Adds `incoming` to Elysia's context, before anything else looks at a request, so that preflights and refusals have an id too.
 * @param opened is called before the cross-origin plugin answers preflights. It may throw, or answer the request itself
 */
export function incomingRequests(open: (request: Request) => IncomingRequest, opened: Opened = () => {}) {
  return new Elysia({ name: "incoming-requests" }).decorate("incoming", notYet).onRequest((context) => {
    const { request } = context
    const set: AnswerSettings = context.set
    const incoming = open(request)
    context.incoming = incoming
    set.headers["x-request-id"] = incoming.requestId
    requireHost(request)
    requireOneId(request)
    // Not the context itself: Elysia would then prepare all of it, which costs a fifth of a metered call.
    return opened({ request, set, incoming })
  })
}

/** Looks at a request before a route is found. What it returns is the answer. */
export type Opened = (exchange: Exchange) => Promise<Response> | Response | undefined

/** Stands in the context until the request is opened, so that all contexts have one shape. */
const notYet: IncomingRequest = {
  requestId: "",
  hasOwnId: false,
  key: null,
  address: () => "",
  hasTwoKeys: false,
  hasLeft: () => false,
  startedMs: 0,
  trace: null,
}
