import { execute, GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from "graphql"
import type { Caller } from "../../call/caller.ts"
import { type Asking, logFault, type PreparedApi, type Road } from "../../call/execute.ts"
import { type Fault, fixedFault, toFault } from "../../call/fault.ts"
import { createPace } from "../../call/pace.ts"
import { type Outcome, runOne } from "../../call/run.ts"
import { noStanding } from "../../call/standing.ts"
import { nothingCharged, type Trail } from "../../call/trail.ts"
import { createDocumentReader, type QueryDocument } from "./document.ts"
import { toRootField } from "./names.ts"
import { isIncluded, rootFieldsOf, selectOperation } from "./operation.ts"
import { type GraphqlParameters, readParameters } from "./parameters.ts"
import { fieldCodeOf, Refusal, shorten, toRefusal } from "./refusal.ts"
import { createGraphqlSchema, type FieldContext } from "./schema.ts"
import { readVariables } from "./variables.ts"

/** One request to the GraphQL gateway. */
export interface GraphqlCall extends Asking {
  /** Reads the body. Called once the caller is known. */
  readonly readBody: () => Promise<Readonly<Record<string, unknown>>>
}

export interface GraphqlReply extends Trail {
  /** Ids of the APIs that were asked; empty where it did not come to that. */
  readonly apis: readonly string[]
  readonly status: number
  readonly body: {
    readonly errors?: readonly GraphQLFormattedError[]
    readonly data?: Readonly<Record<string, unknown>> | null
  }
  readonly headers: Readonly<Record<string, string>>
}

/** A query that may run: what it asks, and the APIs it asks, each once. */
interface Plan {
  readonly document: QueryDocument
  readonly parameters: GraphqlParameters
  readonly apis: readonly PreparedApi[]
}

/**
 * Makes the gateway of a catalog. It takes a query down the road: gate once → read → limits → validate → hold what all
 * its APIs cost → run side by side → settle those that succeeded. It never throws.
 */
export function createGateway(
  apis: readonly PreparedApi[],
  road: Road,
): (call: GraphqlCall) => Promise<GraphqlReply> {
  const schema = createGraphqlSchema(apis.map(({ definition }) => definition))
  const read = createDocumentReader(schema)
  const byField = new Map(apis.map((api) => [toRootField(api.definition.id), api]))

  function plan(parameters: GraphqlParameters): Plan {
    const document = read(parameters.query)
    const operation = selectOperation(document, parameters.operationName)
    requireNoFiles([...rootFieldsOf(document, operation, () => true)], byField)
    document.requireValid()
    const variables = readVariables(schema, operation, parameters.variables)
    const fields = rootFieldsOf(document, operation, (node) => isIncluded(node, variables))
    const named = [...fields].flatMap((field) => byField.get(field) ?? [])
    return { document, parameters, apis: named }
  }

  return async (call) => {
    let rate = noStanding
    let caller: Caller | null = null
    let apis: readonly string[] = []
    try {
      caller = await road.gate.identify(call.key)
      road.gate.requireAddress(caller, call.address)
      rate = await road.gate.requireRate(caller)

      const planned = plan(readParameters(await call.readBody()))
      apis = planned.apis.map(({ definition }) => definition.id)
      for (const { definition } of planned.apis) road.gate.requireApi(caller, definition.id)
      requireCeiling(planned, caller)
      // Introspection costs nothing, so it needs no credits either.
      const hold = planned.apis.length > 0 ? road.charges.hold(caller, sumOf(planned.apis)) : null
      try {
        const { body, succeeded } = await run(planned, schema, call, caller, road)
        const charged = succeeded.map(({ definition, credits }) => ({
          api: definition.id,
          calls: 1,
          credits,
        }))
        if (hold && charged.length > 0) await road.charges.settle(hold, charged)
        return { status: 200, body, headers: rate, caller, apis, charged, fault: null }
      } finally {
        hold?.release()
      }
    } catch (thrown) {
      const { fault, refusal } = refusalOf(thrown, call.requestId, road)
      const { status, errors, headers } = refusal
      const trail = { caller, apis, charged: nothingCharged, fault }
      return { status, body: { errors }, headers: { ...rate, ...headers }, ...trail }
    }
  }
}

function requireNoFiles(fields: readonly string[], byField: ReadonlyMap<string, PreparedApi>): void {
  const takers = fields.filter((field) => byField.get(field)?.definition.takesFile)
  if (takers.length > 0) {
    throw new Refusal(
      "FILE_UPLOAD_NOT_SUPPORTED",
      `GraphQL cannot carry the files that these APIs take: ${takers.join(", ")}.`,
    )
  }
}

function requireCeiling({ apis }: Plan, { plan: { name, graphqlApis } }: Caller): void {
  if (graphqlApis !== null && apis.length > graphqlApis) {
    throw new Refusal(
      "PLAN_LIMIT_EXCEEDED",
      `The plan '${name}' allows ${graphqlApis} ${graphqlApis === 1 ? "API" : "APIs"} in a query; this one names ${apis.length}.`,
    )
  }
}

function sumOf(apis: readonly PreparedApi[]): number {
  return apis.reduce((sum, { credits }) => sum + credits, 0)
}

/** Runs a query, and tells which of its APIs have earned their credits: those with a field that succeeded. */
async function run(
  { document: { document }, parameters: { operationName, variables }, apis }: Plan,
  schema: GraphQLSchema,
  { requestId }: GraphqlCall,
  caller: Caller,
  road: Road,
): Promise<{ body: GraphqlReply["body"]; succeeded: readonly PreparedApi[] }> {
  const byId = new Map(apis.map((api) => [api.definition.id, api]))
  const succeeded = new Set<PreparedApi>()
  const pace = createPace(road.ports.clock)

  const contextValue: FieldContext = {
    run(id, values) {
      const api = byId.get(id)
      if (!api) throw new Error(`'${id}' is run but was not paid for`)
      const take = ({ data, fault }: Outcome) => {
        if (fault)
          throw new GraphQLError(shorten(fault.message), { extensions: { code: fieldCodeOf(fault) } })
        succeeded.add(api)
        return data
      }
      const start = () => runOne(api, { kind: "typed", values }, caller, requestId, road)
      const pause = pace()
      const outcome = pause ? pause.then(start) : start()
      return outcome instanceof Promise ? outcome.then(take) : take(outcome)
    },
  }

  const { data, errors } = await execute({
    schema,
    document,
    operationName,
    variableValues: variables,
    contextValue,
  })
  const formatted = errors?.map((error) => formatError(error, requestId, road))
  return {
    body: { ...(formatted && { errors: formatted }), ...(data !== undefined && { data }) },
    succeeded: [...succeeded],
  }
}

/** An error without a code of ours is a fault of this side: an answer that its own schema does not describe. */
function formatError(error: GraphQLError, requestId: string, { log }: Road): GraphQLFormattedError {
  if (typeof error.extensions.code === "string") return error.toJSON()
  if (isOfArgument(error)) {
    const { message, code } = nullArgument
    return { ...error.toJSON(), message, extensions: { code } }
  }
  const fault = fixedFault("internal", error)
  // What graphql-js says of a value quotes it.
  logFault(fault, requestId, log, { message: false })
  return { ...error.toJSON(), message: fault.message, extensions: { code: fieldCodeOf(fault) } }
}

/**
 * A variable that may be null fits where null does not when one of the two has a default (GraphQL §5.8.5), so that only
 * running the field shows that it is null. What is wrong with an answer is not told of a part of the query.
 */
function isOfArgument({ originalError }: GraphQLError): boolean {
  return originalError instanceof GraphQLError && originalError.nodes !== undefined
}

const nullArgument = {
  message:
    "The 'input' parameter must not be null, nor have null where a value is required: leave a variable out to get its default.",
  code: "BAD_USER_INPUT",
} as const

function refusalOf(
  thrown: unknown,
  requestId: string,
  { log }: Road,
): { readonly fault: NonNullable<Trail["fault"]>; readonly refusal: Refusal } {
  if (thrown instanceof Refusal) return { fault: thrown.code, refusal: thrown }
  const fault: Fault = toFault(thrown)
  logFault(fault, requestId, log)
  return { fault: fault.code, refusal: toRefusal(fault) }
}
