import { Elysia } from "elysia"
import type { IncomingRequest } from "./exchange.ts"
import { requireHost } from "./host.ts"

/**
 * Adds `incoming` to Elysia's context, before anything else looks at a request, so that preflights and refusals have an id too.
 * @param recordPreflight is called for preflights, which the cross-origin plugin answers itself
 */
export function incomingRequests(
  open: (request: Request) => IncomingRequest,
  recordPreflight: (incoming: IncomingRequest) => void,
) {
  return new Elysia({ name: "incoming-requests" }).decorate("incoming", notYet).onRequest((context) => {
    const { request } = context
    const incoming = open(request)
    context.incoming = incoming
    context.set.headers["x-request-id"] = incoming.requestId
    requireHost(request)
    if (request.method === "OPTIONS") recordPreflight(incoming)
  })
}

/** Stands in the context until the request is opened, so that all contexts have one shape. */
const notYet: IncomingRequest = {
  requestId: "",
  key: null,
  address: () => "",
  hasLeft: () => false,
  startedMs: 0,
}
