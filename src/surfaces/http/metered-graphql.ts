import {
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  validate,
} from "graphql"
import type { Plugin } from "graphql-yoga"
import { type Caller, type CallerIds, type CallerRequest, nothingCharged } from "../../call/caller.ts"
import { fixedFault } from "../../call/fault.ts"
import type { IdempotentCall } from "../../call/idempotency.ts"
import { workIdempotently } from "../../call/idempotent-work.ts"
import {
  admit,
  explain,
  giveWayWhilePresent,
  logFault,
  type Pipeline,
  type Progress,
  requirePresent,
} from "../../call/pipeline.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { smallBytes, type UnsentAnswer } from "../../call/unsent.ts"
import { encodeJson, weightOf } from "../../encode/json.ts"
import type { RecordRequest } from "../../observe/request-log.ts"
import type { ChargeItem } from "../../store/store.ts"
import { toRootField } from "../graphql/names.ts"
import { maxResultBytes, parseWithinLimits } from "../graphql/query-limits.ts"
import {
  isIncluded,
  type QueryInput,
  type QueryParts,
  readParameters,
  rootFieldsOf,
  selectOperation,
} from "../graphql/query-parts.ts"
import { faultNameOf, fieldCodeOf, Refusal, toRefusal } from "../graphql/refusal.ts"
import { sizeOfResult } from "../graphql/result-size.ts"
import { createFieldContext, type FieldResults } from "../graphql/run-fields.ts"
import { readVariables } from "../graphql/variables.ts"
import type { HttpContext } from "./frame.ts"
import { readJsonObject } from "./read/body.ts"
import { toBody } from "./reply/answer-body.ts"
import { acceptedBy, mediaTypeFor } from "./reply/format.ts"
import { replayedHeader, setAnswerHeaders, setRate } from "./reply/headers.ts"
import type { IncomingRequest } from "./request.ts"

/** One query, from its admission to its answer. */
type GraphqlCall = ReturnType<typeof startGraphqlCall>

/** Where a query runs. */
interface QueryServer {
  readonly schema: GraphQLSchema
  /** The APIs by their root fields. */
  readonly byField: ReadonlyMap<string, PreparedApi>
  readonly pipeline: Pipeline
}

interface ServerContext extends Record<string, unknown> {
  call?: GraphqlCall
}

/** The most errors of one query that are listed. */
const maxErrors = 20

/**
 * Takes queries through the pipeline in the hooks of graphql-yoga, in this order: identity, address and rate before the body is
 * read → body → limits → validation → hold, run and settle → answer → record.
 */
export function meteredQueries(
  schema: GraphQLSchema,
  context: HttpContext,
  record: RecordRequest,
  incomingOf: (request: Request) => IncomingRequest | undefined,
): Plugin<ServerContext, ServerContext> {
  const { apis, pipeline, intake } = context
  const byField = new Map(apis.map((api) => [toRootField(api.definition.id), api]))

  function requireIncoming(request: Request): IncomingRequest {
    const incoming = incomingOf(request)
    if (!incoming) throw new Error("a request reached GraphQL without its id")
    return incoming
  }

  function sendRefusal(call: GraphqlCall, thrown: unknown, request: Request): Promise<Response> {
    return respond(call, { errors: keepRefusal(call, thrown, pipeline).errors }, request, context)
  }

  return {
    async onRequest({ request, serverContext, endResponse }) {
      const call = startGraphqlCall(requireIncoming(request), request.headers.get("idempotency-key"))
      serverContext.call = call
      try {
        await admit(call.request, [], pipeline, call)
        requirePresent(call.request)
      } catch (thrown) {
        endResponse(await sendRefusal(call, thrown, request))
      }
    },
    onRequestParse({ request, serverContext, setRequestParser }) {
      const call = callOf(serverContext)
      setRequestParser(async () => {
        try {
          refuseUpload(request)
          const giveWay = () => giveWayWhilePresent(call.request, call.caller?.account.id ?? "", pipeline)
          call.input = readParameters(await readJsonObject(request, intake, giveWay))
          const { query, operationName, variables } = call.input
          return { query, variables, ...(operationName !== null && { operationName }) }
        } catch (thrown) {
          return await sendRefusal(call, thrown, request)
        }
      })
    },
    onParse({ setParseFn }) {
      setParseFn((source) => parseWithinLimits(String(source)))
      return ({ context, result, replaceParseResult }) => {
        const call = callOf(context)
        try {
          if (result instanceof Error) throw result
          if (result === null) throw new Error("parsing gave no document")
          call.parts = selectOperation(result, context.params.operationName ?? null)
          requireNoFiles([...rootFieldsOf(call.parts, () => true)], byField)
        } catch (thrown) {
          replaceParseResult(keepRefusal(call, thrown, pipeline))
        }
      }
    },
    onValidate({ setValidationFn }) {
      setValidationFn((schema, document) => validate(schema, document, undefined, { maxErrors }))
      return ({ context, valid, result }) => {
        if (!valid) keepRefusal(callOf(context), new Refusal("GRAPHQL_VALIDATION_FAILED", result), pipeline)
      }
    },
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn(async ({ contextValue }) => {
        const call = callOf(contextValue)
        try {
          return await executeMetered(call, { schema, byField, pipeline }, executeFn as Execute)
        } catch (thrown) {
          keepRefusal(call, thrown, pipeline)
          return {}
        }
      })
    },
    onResultProcess({ request, serverContext, setResultProcessor }) {
      const call = callOf(serverContext)
      setResultProcessor((result) => {
        const { data, errors } = result as ExecutionResult
        if (call.refusal || data === undefined)
          return sendRefusal(call, errors?.[0] ?? new Error("a query had no result"), request)
        const formatted = errors?.map((error) => formatError(error, call.request.requestId, pipeline))
        return respond(call, { ...(formatted && { errors: formatted }), data }, request, context)
      }, "application/json")
    },
    onResponse({ request, response: { status }, serverContext }) {
      const call = callOf(serverContext)
      call.results?.close()
      record(requireIncoming(request), { ...call, caller: call.caller ?? call.keyOwner, status })
    },
  }
}

/**
 * Begins a call for a request that was just received.
 * @param idempotencyKey null without one
 */
export function startGraphqlCall(request: CallerRequest, idempotencyKey: string | null) {
  const progress: Progress = { caller: null, rate: null }
  return {
    ...progress,
    request,
    idempotencyKey,
    /** The query with its variables as the client sent them; null until the body is read. */
    input: null as QueryInput | null,
    /** The operation to run; null until the query is parsed. */
    parts: null as QueryParts | null,
    /** Ids of the APIs that the query runs. */
    apis: [] as readonly string[],
    /** Counts the data of the results, from before the first is made until the text of the answer is; null before and after. */
    results: null as UnsentAnswer | null,
    charged: nothingCharged as readonly ChargeItem[],
    /** Whether it was charged before, under the same key. */
    isReplay: false,
    /** The refusal of the whole request; null if it is not refused. */
    refusal: null as Refusal | null,
    /** The code for the record: of the fault behind the refusal, or of the refusal itself. */
    fault: null as string | null,
    /** The name of the parameter at fault. */
    parameter: null as string | null,
    /** The owner of the refused key, for logs and metrics. */
    keyOwner: null as CallerIds | null,
  }
}

function refuseUpload({ headers }: Request): void {
  if (!/^\s*multipart\//i.test(headers.get("content-type") ?? "")) return
  throw new Refusal(
    "FILE_UPLOAD_NOT_SUPPORTED",
    "GraphQL takes no file uploads here; send the query as JSON.",
  )
}

function requireNoFiles(fields: readonly string[], byField: ReadonlyMap<string, PreparedApi>): void {
  const takers = fields.filter((field) => byField.get(field)?.definition.takesFile).join(", ")
  if (takers === "") return
  throw new Refusal(
    "FILE_UPLOAD_NOT_SUPPORTED",
    `GraphQL cannot carry the files that these APIs take: ${takers}.`,
  )
}

/** Executes a query; graphql-js's `execute`. */
type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>

/**
 * Runs a query against the caller's credits: APIs → ceiling of the plan → hold what all APIs cost → execute → settle what is
 * to be paid. Introspection names no API and costs nothing.
 * @param call is admitted, and its query is parsed, validated and within the limits
 * @throws Refusal or Fault when the query may not run, or another process spent the credits first
 */
export async function executeMetered(
  call: GraphqlCall,
  { schema, byField, pipeline }: QueryServer,
  execute: Execute,
): Promise<ExecutionResult> {
  const { caller, parts, input, idempotencyKey: key } = call
  if (!caller || !parts || !input) throw new Error("a query was executed before it was admitted and read")
  const apisOf = (fields: ReadonlySet<string>) => [...fields].flatMap((field) => byField.get(field) ?? [])

  const run = async (idempotent: IdempotentCall | null): Promise<ExecutionResult> => {
    const { document, operation } = parts
    const variableValues = readVariables(schema, operation, input.variables)
    const apis = apisOf(rootFieldsOf(parts, (node) => isIncluded(node, variableValues)))
    call.apis = apis.map(({ definition }) => definition.id)
    for (const id of call.apis) pipeline.admission.requireApi(caller, id)
    requireCeiling(apis.length, caller)

    call.results ??= pipeline.unsent.open()
    const results = createResults(call.results, call.request)
    const contextValue = createFieldContext(apis, results, caller, call.request, pipeline)
    const operationName = operation.name?.value
    const args = { schema, document, operationName, variableValues, contextValue }
    if (apis.length === 0) return execute(args)
    requirePresent(call.request)
    const credits = apis.reduce((sum, api) => sum + api.credits, 0)
    const hold = pipeline.charges.hold(caller, credits, idempotent)
    try {
      const result = await execute(args)
      results.requireWithinLimit()
      const charged = [...results.paid].flatMap(({ charge }) => charge)
      if (charged.length > 0) {
        const uses = [...results.deprecated].map((api) => ({ api, calls: 1, credits: 0 }))
        await pipeline.charges.settle(hold, charged, call.request, uses)
      }
      call.isReplay = idempotent !== null && idempotent.firstCharge !== null
      call.charged = call.isReplay ? nothingCharged : charged
      return result
    } finally {
      hold.release()
    }
  }
  if (key === null) return run(null)
  const apis = apisOf(rootFieldsOf(parts, () => true))
  return workIdempotently({ key, path: "/v1/graphql", input, apis }, caller, pipeline, run)
}

function requireCeiling(count: number, { plan: { name, graphqlApis } }: Caller): void {
  if (graphqlApis === null || count <= graphqlApis) return
  const allowed = graphqlApis === 1 ? "1 API" : `${graphqlApis} APIs`
  throw new Refusal(
    "PLAN_LIMIT_EXCEEDED",
    `The plan '${name}' allows ${allowed} in a query; this one names ${count}.`,
  )
}

/** Counts a query's results. Above their limit, and when the client has left, nothing more runs and the query is refused. */
function createResults(answer: UnsentAnswer, request: CallerRequest): FieldResults {
  let bytes = 0
  /** The bytes of results that wait to be copied. A result that the answer repeats counts once. */
  let held = 0
  /** A run with much input, during which no other run of the query begins: many at once would each hold a multiple of it. */
  let largeRun: Promise<unknown> | null = null

  function requireWithinLimit(): void {
    requirePresent(request)
    if (bytes <= maxResultBytes && held <= maxResultBytes) return
    const limit = `${maxResultBytes.toLocaleString("en-US")} bytes`
    throw new Refusal("QUERY_TOO_COMPLEX", `The results of the query are larger than ${limit}.`)
  }

  function add(value: unknown, info: GraphQLResolveInfo): void {
    bytes += sizeOfResult(value, info, maxResultBytes - bytes, "keys")
    requireWithinLimit()
  }

  return {
    paid: new Set(),
    deprecated: new Set(),
    requireWithinLimit,
    room: () => answer.room() ?? largeRun ?? undefined,
    async during(running, input) {
      const size = weightOf(input, Number.POSITIVE_INFINITY)
      answer.add(size)
      if (size >= smallBytes) largeRun = running
      const outcome = await running
      answer.free(size)
      if (largeRun === running) largeRun = null
      return outcome
    },
    add,
    addRoot(data, info) {
      const size = sizeOfResult(data, info, maxResultBytes - held, "once")
      held += size
      answer.add(size)
      requireWithinLimit()
      add(data, info)
    },
  }
}

/** Keeps the refusal of a request, since yoga may wrap the thrown value. The first one counts. */
function keepRefusal(call: GraphqlCall, thrown: unknown, pipeline: Pipeline): Refusal {
  if (call.refusal) return call.refusal
  if (thrown instanceof Refusal) {
    call.fault = faultNameOf(thrown.code)
    call.refusal = thrown
    return thrown
  }
  const fault = explain(thrown, call.request.requestId, pipeline)
  call.fault = fault.code
  call.parameter = fault.parameter
  call.keyOwner = fault.keyOwner
  call.refusal = toRefusal(fault)
  return call.refusal
}

/** Makes the answer to a query, or to a refused one. */
async function respond(
  call: GraphqlCall,
  answer: Pick<FormattedExecutionResult, "errors" | "data">,
  { headers: sent }: Request,
  context: HttpContext,
): Promise<Response> {
  const { refusal, fault, rate, caller, isReplay, results } = call
  call.results = null
  const headers: Record<string, string> = {
    "content-type": `${mediaTypeFor(acceptedBy(sent))}; charset=utf-8`,
    ...(isReplay && !refusal && { [replayedHeader]: "true" }),
  }
  const status = refusal?.status ?? 200
  setAnswerHeaders(headers, { status, retryAfterSeconds: refusal?.retryAfterSeconds ?? null, fault })
  setRate((name, value) => {
    headers[name] = value
  }, rate)
  const body = await toBody(encodeJson(answer), caller, context, answer, results)
  return new Response(body, { status, headers })
}

/** An error without one of our codes is a fault of the service: an API's answer does not fit its schema. */
function formatError(error: GraphQLError, requestId: string, { log }: Pipeline): GraphQLFormattedError {
  if (typeof error.extensions.code === "string") return error.toJSON()
  if (isOfArgument(error)) return { ...error.toJSON(), ...nullArgument }
  const fault = fixedFault("internal", error)
  // graphql-js quotes values in its messages.
  logFault(fault, requestId, log, { message: false })
  return { ...error.toJSON(), message: fault.message, extensions: { code: fieldCodeOf(fault) } }
}

/**
 * Validation lets a null variable pass where null is not allowed, when one of the two has a default (GraphQL §5.8.5). Such an
 * error comes from the field's run and carries a part of the query.
 */
function isOfArgument({ originalError }: GraphQLError): boolean {
  return originalError instanceof GraphQLError && originalError.nodes !== undefined
}

const nullArgument = {
  message:
    "The 'input' parameter must not be null, nor have null where a value is required: leave a variable out to get its default.",
  extensions: { code: "BAD_USER_INPUT" },
} as const

function callOf({ call }: ServerContext): GraphqlCall {
  if (!call) throw new Error("a request reached GraphQL before it was opened")
  return call
}
