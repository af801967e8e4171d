import { type TObject, type TSchema, Type } from "@sinclair/typebox"
import { type ApiDefinition, choice } from "../../apis/contract.ts"
import { maxInputs, requireInputs } from "../../call/batch.ts"
import { deprecationsOf } from "../../call/deprecated-use.ts"
import { workIdempotently } from "../../call/idempotent-work.ts"
import type { Input, TextInput } from "../../call/input.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { runSingle } from "../../call/run.ts"
import { reportUsage, usageSchema } from "../../call/usage-report.ts"
import { formats } from "../../encode/formats.ts"
import { once } from "../../values/once.ts"
import type { HttpContext } from "./frame.ts"
import { answerMetered, type MeteredExchange, type ServiceApp } from "./metered.ts"
import { noticeOf, send, sendSuccess } from "./reply/headers.ts"
import { pictureSender } from "./reply/picture.ts"

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
        return workIdempotently({ key, path, input, apis: [api] }, caller, pipeline, (idempotent) =>
          runSingle(call, caller, pipeline, idempotent),
        )
      },
      (reply, { raw, negotiated }) => {
        notice?.(raw, exchange.set)
        const sent = sendPicture?.(exchange.request, reply, exchange.set)
        return sent ?? sendSuccess(reply, negotiated.format, exchange.set, context)
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

/**
 * A schema in the hooks of a route: TypeBox for readers of the app, and a Standard Schema by which Elysia checks. Elysia would
 * clone and change a schema of TypeBox alone, convert numbers of a query, and write the whole input into the message of its
 * error.
 * @param read checks a value and returns the one that the handler gets. Throws the refusal, which the route's `error` answers
 */
export function checkedBy<Given, Read>(schema: TSchema, read: (given: Given) => Read): CheckedBy<Read> {
  const validate = (given: Given) => ({ value: read(given) })
  return { ...schema, "~standard": { version: 1, vendor: "penknife", validate } }
}

const anyObject = Type.Object({})

/**
 * The same for an object whose schema is made when it is first read: a start has many routes, and reads none of their schemas.
 */
function objectCheckedBy<Given, Read>(schemaOf: () => TObject, read: (given: Given) => Read) {
  const schema = once(schemaOf)
  return {
    ...checkedBy(anyObject, read),
    get properties() {
      return schema().properties
    },
    get required() {
      return schema().required
    },
  }
}

/** A Standard Schema whose handlers get `Read`. Elysia hands it whatever was read. */
export interface CheckedBy<Read> {
  readonly "~standard": {
    readonly version: number
    readonly vendor: string
    readonly types?: { readonly input: unknown; readonly output: Read }
    validate(given: unknown): { readonly value: Read }
  }
}

/** The query of a metered GET: the parameters, which `read` checks, and `format`, which the macro has read. */
export function querySchema(input: () => TObject, read: (given: TextInput) => Input) {
  return objectCheckedBy(() => Type.Object({ ...input().properties, format }), read)
}

/** The JSON body of a single call. */
export function bodySchema({ definition, readInput }: PreparedApi) {
  return objectCheckedBy(
    () => definition.input,
    (values: Readonly<Record<string, unknown>>) => readInput({ kind: "typed", values }),
  )
}

/** The JSON body of a batch. Each input is checked when it runs, and its refusal is its result. */
export function batchBodySchema(definition: ApiDefinition) {
  const inputs = () => Type.Array(definition.input, { minItems: 1, maxItems: maxInputs })
  return objectCheckedBy(() => Type.Object({ inputs: inputs() }), requireInputs)
}

/** The answer of a batch before it is encoded. */
export function batchAnswerSchema(definition: ApiDefinition) {
  return uncheckedAnswer(() => {
    const count = Type.Integer({ minimum: 0 })
    const result = Type.Object({
      index: count,
      status: choice(["ok", "error"], { description: "Whether the input succeeded." }),
      error: Type.Union([Type.String(), Type.Null()]),
      retry_after: Type.Optional(Type.Integer({ minimum: 1 })),
      data: Type.Union([definition.output, Type.Null()]),
    })
    return Type.Object({
      ...{ count, succeeded: count, failed: count, credits_used: count },
      results: Type.Array(result),
    })
  })
}

/** Describes the answer of a metered route before it is encoded. Nothing checks it: it is charged already (decision 14). */
function uncheckedAnswer(data: () => TObject) {
  const envelope = () => Type.Object({ status: Type.Literal("ok"), error: Type.Null(), data: data() })
  return { 200: objectCheckedBy(envelope, (answer: unknown) => answer) }
}

const format = Type.Optional(choice(formats, { description: "The format of the answer." }))
