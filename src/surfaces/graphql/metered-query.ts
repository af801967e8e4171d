import type { ExecutionArgs, ExecutionResult, GraphQLSchema } from "graphql"
import { GraphQLError } from "graphql"
import type { Caller } from "../../call/caller.ts"
import type { DnsQuestions } from "../../call/dns-questions.ts"
import { type Pipeline, requirePresent } from "../../call/pipeline.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { checkAndRun, type Outcome } from "../../call/run.ts"
import { createDnsFields } from "./dns-fields.ts"
import type { FieldContext } from "./field-context.ts"
import type { GraphqlCall } from "./graphql-call.ts"
import { isIncluded, type QueryParts, rootFieldsOf } from "./operation.ts"
import { fieldCodeOf, Refusal, shorten } from "./refusal.ts"
import { readVariables, type Variables } from "./variables.ts"

/** Executes a query; graphql-js's `execute`. */
export type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>

/** A query that is parsed, validated and within the limits. */
interface MeteredQuery {
  readonly schema: GraphQLSchema
  readonly parts: QueryParts
  /** As the client sent them. */
  readonly variables: Variables
  readonly caller: Caller
}

/**
 * Runs a query against the caller's credits: APIs → ceiling of the plan → hold what all APIs cost → execute → settle those
 * with a field that succeeded. Introspection names no API and costs nothing.
 * @throws Refusal or Fault when the query may not run, or another process spent the credits first
 */
export async function executeMetered(
  { schema, parts, variables: given, caller }: MeteredQuery,
  call: GraphqlCall,
  byField: ReadonlyMap<string, PreparedApi>,
  pipeline: Pipeline,
  execute: Execute,
): Promise<ExecutionResult> {
  const variables = readVariables(schema, parts.operation, given)
  const fields = rootFieldsOf(parts, (node) => isIncluded(node, variables))
  const apis = [...fields].flatMap((field) => byField.get(field) ?? [])
  call.apis = apis.map(({ definition }) => definition.id)
  for (const id of call.apis) pipeline.gate.requireApi(caller, id)
  requireCeiling(apis.length, caller)

  const succeeded = new Set<PreparedApi>()
  const contextValue = createFieldContext(apis, succeeded, caller, call.request.requestId, pipeline)
  const { document, operation } = parts
  const operationName = operation.name?.value
  const args = { schema, document, operationName, variableValues: variables, contextValue }
  if (apis.length === 0) return execute(args)
  requirePresent(call.request)
  const hold = pipeline.charges.hold(
    caller,
    apis.reduce((sum, { credits }) => sum + credits, 0),
  )
  try {
    const result = await execute(args)
    const charged = [...succeeded].flatMap(({ charge }) => charge)
    if (charged.length > 0) await pipeline.charges.settle(hold, charged, call.request)
    call.charged = charged
    return result
  } finally {
    hold.release()
  }
}

function requireCeiling(count: number, { plan: { name, graphqlApis } }: Caller): void {
  if (graphqlApis === null || count <= graphqlApis) return
  const allowed = graphqlApis === 1 ? "1 API" : `${graphqlApis} APIs`
  throw new Refusal(
    "PLAN_LIMIT_EXCEEDED",
    `The plan '${name}' allows ${allowed} in a query; this one names ${count}.`,
  )
}

/** Runs root fields. `succeeded` gets each API with a field that succeeded. */
function createFieldContext(
  apis: readonly PreparedApi[],
  succeeded: Set<PreparedApi>,
  caller: Caller,
  requestId: string,
  pipeline: Pipeline,
): FieldContext {
  const byId = new Map(apis.map((api) => [api.definition.id, api]))
  const dnsFields = createDnsFields(pipeline.ports.clock)
  const giveWay = () => pipeline.scheduler.giveWay(caller.account.id)
  return {
    giveWay,
    run(id, values) {
      const api = byId.get(id)
      if (!api) throw new Error(`'${id}' runs but was not paid for`)
      const take = ({ data, fault }: Outcome) => {
        if (fault) {
          throw new GraphQLError(shorten(fault.message), { extensions: { code: fieldCodeOf(fault) } })
        }
        succeeded.add(api)
        return data
      }
      const context = { caller, requestId, pipeline }
      if (api.definition.asksDns) {
        const start = (dnsQuestions: DnsQuestions) =>
          checkAndRun(api, { kind: "typed", values }, { ...context, dnsQuestions })
        return dnsFields.run(start).then(take)
      }
      const run = () => {
        const outcome = checkAndRun(api, { kind: "typed", values }, context)
        return outcome instanceof Promise ? outcome.then(take) : take(outcome)
      }
      return giveWay()?.then(run) ?? run()
    },
  }
}
