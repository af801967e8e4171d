import { Type } from "@sinclair/typebox"
import { deprecationsOf } from "../../call/deprecated-use.ts"
import { workOnce } from "../../call/idempotent-work.ts"
import type { Input } from "../../call/input.ts"
import type { Reply } from "../../call/pipeline.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { runSingle } from "../../call/run.ts"
import { reportUsage, usageSchema } from "../../call/usage-report.ts"
import { mediaTypeNames, preferredType } from "../../encode/formats.ts"
import { once } from "../../values/once.ts"
import { type Picture, pictureBase64, picturesOf } from "../../values/picture.ts"
import type { HttpContext } from "./frame.ts"
import { answerMetered, type MeteredExchange, type ServiceApp } from "./metered.ts"
import { acceptedBy } from "./reply/format.ts"
import { noticeOf, send, sendMetered, setReply } from "./reply/headers.ts"
import { type AnswerSettings, pathAndQueryOf } from "./request.ts"
import { bodySchema, querySchema, uncheckedAnswer } from "./route-schemas.ts"

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
        return workOnce({ key, path, input, apis: [api] }, caller, pipeline, (keyed) =>
          runSingle(call, caller, pipeline, keyed),
        )
      },
      (reply, { raw, negotiated }) => {
        notice?.(raw, exchange.set)
        const sent = sendPicture?.(exchange.request, reply, exchange.set)
        return sent ?? sendMetered(reply, negotiated.format, exchange.set, context)
      },
    )
}

/** `GET /v1/usage`: what the caller's account has used. */
export function addUsageRoute(app: ServiceApp, context: HttpContext): void {
  const record = context.observer.recorderFor("usage", "rest")
  const deprecations = once(() => deprecationsOf(context.apis.map(({ definition }) => definition)))
  app.get(
    "/v1/usage",
    ({ request, set, incoming, call }) =>
      answerMetered(
        { request, set, incoming, call },
        context,
        (caller) => reportUsage(caller, context.pipeline, deprecations()),
        (reply, { negotiated }) => send(reply, negotiated.format, set),
      ),
    {
      metered: { method: "GET", apis: [], record },
      query: querySchema(
        () => Type.Object({}),
        () => ({}),
      ),
      response: uncheckedAnswer(() => usageSchema),
      detail: { summary: "Credits and usage of this month", tags: ["account"] },
    },
  )
}

/** An SVG that is opened by itself is a document of this origin: it must not run scripts or load anything. */
const svgPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/**
 * Makes the function that sends a picture of an API's answer to requests that prefer its media type to those of envelopes. It
 * returns null for other requests. Null for an API without pictures.
 */
function pictureSender(output: Parameters<typeof picturesOf>[0]) {
  const pictures = picturesOf(output)
  if (pictures.length === 0) return null
  return (request: Request, reply: Reply, set: AnswerSettings): Response | null => {
    const wanted = wantedOf(request, pictures)
    const { data } = reply.envelope
    const bytes = wanted && data && pictureBase64({ ...data }, wanted)
    if (!wanted || typeof bytes !== "string") return null
    setReply(reply, "json", set)
    set.headers["content-type"] = wanted.type
    set.headers["content-security-policy"] = svgPolicy
    return new Response(Buffer.from(bytes, "base64"))
  }
}

/** `?format=` asks for an envelope, and so does a request without `Accept`. */
function wantedOf(request: Request, pictures: readonly Picture[]): Picture | undefined {
  const accept = acceptedBy(request.headers)
  if (accept === null || /[?&]format=/.test(pathAndQueryOf(request.url))) return undefined
  const type = preferredType(accept.toLowerCase(), [...mediaTypeNames, ...pictures.map((one) => one.type)])
  return pictures.find((one) => one.type === type)
}
