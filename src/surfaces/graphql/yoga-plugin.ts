import {
  type DocumentNode,
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  parse,
  validate,
} from "graphql"
import type { Plugin } from "graphql-yoga"
import type { GiveWay } from "../../apis/contract.ts"
import type { CallerRequest } from "../../call/caller.ts"
import { fixedFault, inputFault } from "../../call/fault.ts"
import { admit, explain, logFault, type Pipeline, requirePresent } from "../../call/pipeline.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { isObject } from "../../values/is-object.ts"
import { type Execute, executeMetered, type GraphqlCall, startGraphqlCall } from "./metered-query.ts"
import { toRootField } from "./names.ts"
import { requireParsable, requireWithinLimits } from "./query-limits.ts"
import { rootFieldsOf, selectOperation } from "./query-parts.ts"
import { faultNameOf, fieldCodeOf, Refusal, toRefusal } from "./refusal.ts"

interface PluginParts {
  readonly apis: readonly PreparedApi[]
  readonly schema: GraphQLSchema
  readonly pipeline: Pipeline
  /** Returns the key, address and id of a request. */
  requestOf(request: Request): CallerRequest
  /** Reads the body as a JSON object, a large one in steps. Called once the caller is admitted. */
  readBody(request: Request, giveWay: GiveWay): Promise<Readonly<Record<string, unknown>>>
  /** Makes the HTTP answer. */
  respond(call: GraphqlCall, body: GraphqlBody, request: Request): Promise<Response>
  /** Called once for each request, when its answer is made. */
  record(call: GraphqlCall, status: number, request: Request): void
}

/** The JSON of an answer. */
export type GraphqlBody = Readonly<Pick<FormattedExecutionResult<unknown>, "errors" | "data">>

interface ServerContext extends Record<string, unknown> {
  call?: GraphqlCall
}

/** The most errors of one query that are listed. */
const maxErrors = 20

/**
 * Takes queries through the pipeline in the hooks of graphql-yoga: identity, address and rate before the body is read → body →
 * limits → validation → hold, run and settle → answer.
 */
export function usePipeline(parts: PluginParts): Plugin<ServerContext, ServerContext> {
  const { schema, pipeline } = parts
  const byField = new Map(parts.apis.map((api) => [toRootField(api.definition.id), api]))

  /** Keeps the refusal of a request, since yoga may wrap the thrown value. */
  function refuse(call: GraphqlCall, thrown: unknown): Refusal {
    if (call.refusal) return call.refusal
    const isRefusal = thrown instanceof Refusal
    const fault = isRefusal ? null : explain(thrown, call.request.requestId, pipeline)
    call.refusal = isRefusal ? thrown : toRefusal(fault ?? fixedFault("internal", thrown))
    call.fault = fault?.code ?? faultNameOf(call.refusal.code)
    call.parameter = fault?.parameter ?? null
    call.keyOwner = fault?.keyOwner ?? null
    return call.refusal
  }

  function refuseNow(call: GraphqlCall, thrown: unknown, request: Request): Promise<Response> {
    return parts.respond(call, { errors: refuse(call, thrown).errors }, request)
  }

  return {
    async onRequest({ request, serverContext, endResponse }) {
      const call = startGraphqlCall(parts.requestOf(request), request.headers.get("idempotency-key"))
      serverContext.call = call
      try {
        await admit(call.request, [], pipeline, call)
        requirePresent(call.request)
      } catch (thrown) {
        endResponse(await refuseNow(call, thrown, request))
      }
    },
    onRequestParse({ request, serverContext, setRequestParser }) {
      const call = callOf(serverContext)
      setRequestParser(async () => {
        try {
          const giveWay = () => pipeline.scheduler.giveWay(call.caller?.account.id ?? "")
          const input = readParameters(await parts.readBody(request, giveWay))
          const { query, operationName, variables } = input
          call.input = input
          return { query, variables, ...(operationName !== null && { operationName }) }
        } catch (thrown) {
          return await refuseNow(call, thrown, request)
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
          replaceParseResult(refuse(call, thrown))
        }
      }
    },
    onValidate({ setValidationFn }) {
      setValidationFn((schema, document) => validate(schema, document, undefined, { maxErrors }))
      return ({ context, valid, result }) => {
        if (!valid) refuse(callOf(context), new Refusal("GRAPHQL_VALIDATION_FAILED", result))
      }
    },
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn(async ({ contextValue, variableValues }) => {
        const call = callOf(contextValue)
        try {
          if (!call.parts || !call.caller)
            throw new Error("a query was executed before it was admitted and read")
          const query = { schema, parts: call.parts, variables: variableValues ?? {}, caller: call.caller }
          return await executeMetered(query, call, byField, pipeline, executeFn as Execute)
        } catch (thrown) {
          refuse(call, thrown)
          return {}
        }
      })
    },
    onResultProcess({ request, serverContext, setResultProcessor }) {
      const call = callOf(serverContext)
      setResultProcessor((result) => {
        if (call.refusal) return parts.respond(call, { errors: call.refusal.errors }, request)
        const { data, errors } = result as ExecutionResult
        if (data === undefined)
          return refuseNow(call, errors?.[0] ?? new Error("a query had no result"), request)
        const formatted = errors?.map((error) => formatError(error, call.request.requestId, pipeline))
        return parts.respond(call, { ...(formatted && { errors: formatted }), data }, request)
      }, "application/json")
    },
    onResponse({ request, response, serverContext }) {
      const call = callOf(serverContext)
      call.results?.close()
      parts.record(call, response.status, request)
    },
  }
}

function callOf({ call }: ServerContext): GraphqlCall {
  if (!call) throw new Error("a request reached GraphQL before it was opened")
  return call
}

/** @throws Refusal QUERY_TOO_COMPLEX beyond the limits, GRAPHQL_PARSE_FAILED when the text is not GraphQL */
function parseWithinLimits(query: string): DocumentNode {
  try {
    requireParsable(query)
    const document = parse(query)
    requireWithinLimits(document)
    return document
  } catch (thrown) {
    if (thrown instanceof GraphQLError) throw new Refusal("GRAPHQL_PARSE_FAILED", [thrown])
    throw thrown
  }
}

function requireNoFiles(fields: readonly string[], byField: ReadonlyMap<string, PreparedApi>): void {
  const takers = fields.filter((field) => byField.get(field)?.definition.takesFile).join(", ")
  if (takers === "") return
  throw new Refusal(
    "FILE_UPLOAD_NOT_SUPPORTED",
    `GraphQL cannot carry the files that these APIs take: ${takers}.`,
  )
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

type Values = Readonly<Record<string, unknown>>

/**
 * Reads the parameters of a GraphQL request from its JSON body (GraphQL over HTTP §5.1).
 * @throws Fault naming the parameter to change
 */
function readParameters(body: Values): { query: string; operationName: string | null; variables: Values } {
  const { query, operationName = null, variables, extensions } = body
  if (typeof query !== "string" || query === "") {
    throw inputFault("query", `${query === undefined ? "is required and " : ""}must be a non-empty string`)
  }
  if (operationName !== null && typeof operationName !== "string") {
    throw inputFault("operationName", "must be a string")
  }
  readMap("extensions", extensions)
  return { query, operationName, variables: readMap("variables", variables) }
}

function readMap(name: string, value: unknown): Values {
  if (value === undefined || value === null) return {}
  if (isObject(value)) return value
  throw inputFault(name, "must be an object")
}
