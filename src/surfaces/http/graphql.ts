import { Elysia } from "elysia"
import type { RecordRequest } from "../../observe/request-log.ts"
import { once } from "../../values/once.ts"
import { faultNameOf, Refusal, toRefusal } from "../graphql/refusal.ts"
import { type HttpContext, inProgress, keepConnectionOpen, leaveRequestBody, overloadOf } from "./frame.ts"
import { acceptedBy, mediaTypeFor } from "./reply/format.ts"
import { setAnswerHeaders } from "./reply/headers.ts"
import type { Exchange, IncomingApp, IncomingRequest } from "./request.ts"

const neverAborted = new AbortController().signal

/**
 * `POST /v1/graphql`. Its server is loaded with the first query, so that a service without GraphQL callers saves time and memory.
 * @param enabled false answers every request with `GRAPHQL_NOT_SUPPORTED`
 */
export function graphqlFeature(base: IncomingApp, context: HttpContext, enabled: boolean) {
  const record = context.observer.recorderFor(null, "graphql")
  const incomingOf = new WeakMap<Request, IncomingRequest>()
  const load = once(async () => {
    const { createGraphqlServer } = await import("./graphql-server.ts")
    const server = await createGraphqlServer(context, record, (request) => incomingOf.get(request))
    // The first query, which loads most of the library's code, takes a turn of its own.
    await context.pipeline.ports.timer.turn()
    return server
  })

  async function query(request: Request, incoming: IncomingRequest): Promise<Response> {
    const { signal } = request
    // When a client hangs up, graphql-yoga would stop at once, while the query still runs and has to be recorded. A property and
    // not a new Request, which would take the body along: what is left of it could not be read away.
    Object.defineProperty(request, "signal", { value: neverAborted })
    incomingOf.set(request, { ...incoming, hasLeft: () => signal.aborted })
    return (await load()).handle(request)
  }

  return new Elysia({ name: "graphql" }).use(base).all(
    "/v1/graphql",
    ({ request, set, incoming }) =>
      inProgress(context, async () => {
        const refusal = refusalOf(request, enabled, context)
        const response = refusal
          ? sendRefusal(refusal, { request, set, incoming }, record)
          : await keepConnectionOpen(request, context, () => query(request, incoming))
        await leaveRequestBody(request, set, context)
        return response
      }),
    { parse: "none", detail: { summary: "Several APIs in one query", tags: ["graphql"] } },
  )
}

function refusalOf({ method }: Request, enabled: boolean, context: HttpContext): Refusal | null {
  if (!enabled)
    return new Refusal("GRAPHQL_NOT_SUPPORTED", "GraphQL is turned off on this service; use the REST APIs.")
  if (method !== "POST") return new Refusal("METHOD_NOT_ALLOWED", `GraphQL takes POST, not ${method}.`)
  const overload = overloadOf(context)
  return overload && toRefusal(overload)
}

function sendRefusal(
  { code, status, errors, retryAfterSeconds }: Refusal,
  { request, set, incoming }: Exchange,
  record: RecordRequest,
): string {
  record(incoming, { status, fault: faultNameOf(code) })
  set.status = status
  set.headers["content-type"] = `${mediaTypeFor(acceptedBy(request.headers))}; charset=utf-8`
  if (code === "METHOD_NOT_ALLOWED") set.headers.allow = "POST"
  setAnswerHeaders(set.headers, { status, retryAfterSeconds })
  return JSON.stringify({ errors })
}
