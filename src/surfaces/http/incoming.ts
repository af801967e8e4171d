import { Elysia } from "elysia"
import type { IncomingRequest } from "./exchange.ts"

/** Adds `incoming` to Elysia's context, before anything else looks at a request, so that preflights and refusals have an id too. */
export function incomingRequests(open: (request: Request) => IncomingRequest) {
  return new Elysia({ name: "incoming-requests" }).decorate("incoming", notYet).onRequest((context) => {
    const incoming = open(context.request)
    context.incoming = incoming
    context.set.headers["x-request-id"] = incoming.requestId
  })
}

/** Stands in the context until the request is opened, so that all contexts have one shape. */
const notYet: IncomingRequest = { requestId: "", key: null, address: () => "", startedMs: 0 }
