import { Elysia } from "elysia"
import type { IncomingRequest } from "./exchange.ts"

/**
 * Gives every request its id, before anything else looks at it, so that preflights and refusals carry one too. Handlers
 * find it as `incoming` in Elysia's context.
 * @param open reads a request's id, key and arrival
 */
export function incomingRequests(open: (request: Request) => IncomingRequest) {
  return new Elysia({ name: "incoming-requests" }).decorate("incoming", notYet).onRequest((context) => {
    const incoming = open(context.request)
    context.incoming = incoming
    context.set.headers["x-request-id"] = incoming.requestId
  })
}

/** Stands in the context until the request is opened, so that all contexts have one shape. */
const notYet: IncomingRequest = { requestId: "", key: null, address: () => "", startedMs: 0 }
