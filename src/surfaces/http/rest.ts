import type { Input } from "../../call/input.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { runSingle } from "../../call/run.ts"
import { workOnce } from "../../call/work-once.ts"
import { once } from "../../values/once.ts"
import type { HttpContext } from "./frame.ts"
import { answerMetered, type MeteredExchange } from "./metered.ts"
import { noticeOf } from "./reply/deprecation.ts"
import { sendMetered } from "./reply/headers.ts"
import { pictureSender } from "./reply/picture.ts"
import { bodySchema, querySchema, uncheckedAnswer } from "./route-schemas.ts"
import type { ServiceApp } from "./service-app.ts"

/** The APIs of the catalog, each on its own path: `GET` with a query string, or `POST` with a JSON body. */
export function addRestRoutes(app: ServiceApp, context: HttpContext): void {
  for (const api of context.apis) {
    const { definition, readInput } = api
    const { id, method, title, description } = definition
    const path = `/v1/${id}`
    const answer = once(() => singleAnswerer(api, context))
    const takesGuests = context.guests?.apis.has(id) ?? false
    const route = { method, apis: [id], record: context.observer.recorderFor(id, "rest"), takesGuests }
    const response = uncheckedAnswer(() => definition.output)
    const detail = { summary: title, description, tags: ["apis"] }
    if (method === "GET") {
      app.get(
        path,
        ({ request, set, incoming, call, query }) => answer()({ request, set, incoming, call }, query),
        { metered: route, query: querySchema(() => definition.input, readInput), response, detail },
      )
    } else {
      app.post(
        path,
        ({ request, set, incoming, call, body }) => answer()({ request, set, incoming, call }, body),
        { metered: route, body: bodySchema(api), response, detail },
      )
    }
  }
}

/** Answers calls of an API whose input is checked. */
export function singleAnswerer(api: PreparedApi, context: HttpContext) {
  const { pipeline } = context
  const notice = noticeOf(api.definition)
  const sendPicture = pictureSender(api.definition.output)
  const path = `/v1/${api.definition.id}`
  return (exchange: MeteredExchange, input: Input) =>
    answerMetered(
      exchange,
      context,
      (caller, { raw }) => {
        const call = { api, request: exchange.incoming, raw, input }
        const key = exchange.request.headers.get("idempotency-key")
        // Guests share an account, and one of them must not meet the keys of another.
        if (key === null || caller.isGuest) return runSingle(call, caller, pipeline)
        return workOnce({ key, path, input, apis: [api] }, caller, pipeline, (once) =>
          runSingle(call, caller, pipeline, once),
        )
      },
      (reply, { raw, negotiated }) => {
        notice?.(raw, exchange.set)
        const sent = sendPicture?.(exchange.request, reply, exchange.set)
        return sent ?? sendMetered(reply, negotiated.format, exchange.set, context)
      },
    )
}
