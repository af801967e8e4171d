import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from "graphql"
import type { Clock } from "../../apis/contract.ts"
import {
  type Caller,
  type CallerIds,
  type CallerRequest,
  type CallRecord,
  nothingCharged,
} from "../../call/caller.ts"
import { countDnsQuestions, type DnsQuestions, maxDnsQuestions } from "../../call/dns-questions.ts"
import type { OnceCall } from "../../call/once.ts"
import { type Pipeline, type Progress, requirePresent } from "../../call/pipeline.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { asksOutside, checkAndRun, type Outcome } from "../../call/run.ts"
import { afterStep } from "../../call/scheduler.ts"
import { smallBytes, type UnsentAnswer } from "../../call/unsent.ts"
import { workOnce } from "../../call/work-once.ts"
import { weightOf } from "../../encode/json.ts"
import type { FieldContext } from "./output-type.ts"
import { maxResultBytes } from "./query-limits.ts"
import { isIncluded, type QueryParts, rootFieldsOf } from "./query-parts.ts"
import { fieldCodeOf, Refusal, shorten } from "./refusal.ts"
import { sizeOfResult } from "./result-size.ts"
import { readVariables, type Variables } from "./variables.ts"

/** Executes a query; graphql-js's `execute`. */
export type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>

/** A query that is parsed, validated and within the limits. */
interface MeteredQuery {
  readonly schema: GraphQLSchema
  readonly parts: QueryParts
  /** The variables as the client sent them. */
  readonly variables: Variables
  readonly caller: Caller
}

/**
 * Runs a query against the caller's credits: APIs → ceiling of the plan → hold what all APIs cost → execute → settle those
 * with a field that succeeded. Introspection names no API and costs nothing.
 * @throws Refusal or Fault when the query may not run, or another process spent the credits first
 */
export function executeMetered(
  query: MeteredQuery,
  call: GraphqlCall,
  byField: ReadonlyMap<string, PreparedApi>,
  pipeline: Pipeline,
  execute: Execute,
): Promise<ExecutionResult> {
  const { idempotencyKey: key, input } = call
  const run = (once: OnceCall | null) => executeOnce(query, call, byField, pipeline, execute, once)
  if (key === null) return run(null)
  const apis = [...rootFieldsOf(query.parts, () => true)].flatMap((field) => byField.get(field) ?? [])
  return workOnce({ key, path: "/v1/graphql", input, apis }, query.caller, pipeline, run)
}

async function executeOnce(
  { schema, parts, variables: given, caller }: MeteredQuery,
  call: GraphqlCall,
  byField: ReadonlyMap<string, PreparedApi>,
  pipeline: Pipeline,
  execute: Execute,
  once: OnceCall | null,
): Promise<ExecutionResult> {
  const variables = readVariables(schema, parts.operation, given)
  const fields = rootFieldsOf(parts, (node) => isIncluded(node, variables))
  const apis = [...fields].flatMap((field) => byField.get(field) ?? [])
  call.apis = apis.map(({ definition }) => definition.id)
  for (const id of call.apis) pipeline.admission.requireApi(caller, id)
  requireCeiling(apis.length, caller)

  call.results ??= pipeline.unsent.open()
  const results = createResults(call.results)
  const { succeeded, deprecated } = results
  const contextValue = createFieldContext(apis, results, caller, call.request, pipeline)
  const { document, operation } = parts
  const operationName = operation.name?.value
  const args = { schema, document, operationName, variableValues: variables, contextValue }
  if (apis.length === 0) return execute(args)
  requirePresent(call.request)
  const hold = pipeline.charges.hold(
    caller,
    apis.reduce((sum, { credits }) => sum + credits, 0),
    once,
  )
  try {
    const result = await execute(args)
    results.requireWithinLimit()
    const charged = [...succeeded].flatMap(({ charge }) => charge)
    if (charged.length > 0) {
      const uses = [...deprecated].map((api) => ({ api, calls: 1, credits: 0 }))
      await pipeline.charges.settle(hold, charged, call.request, uses)
    }
    call.isReplay = once !== null && once.replay !== null
    call.charged = call.isReplay ? nothingCharged : charged
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

/** Counts the results of a query, which are limited together. Above the limit nothing more runs, and the query is refused. */
function createResults(answer: UnsentAnswer) {
  let bytes = 0
  /** The bytes of results that wait to be copied. A result that the answer repeats counts once. */
  let held = 0
  /** A run with much input, during which no other run of the query begins: many at once would each hold a multiple of it. */
  let largeRun: Promise<unknown> | null = null

  function requireWithinLimit(): void {
    if (bytes <= maxResultBytes && held <= maxResultBytes) return
    const limit = `${maxResultBytes.toLocaleString("en-US")} bytes`
    throw new Refusal("QUERY_TOO_COMPLEX", `The results of the query are larger than ${limit}.`)
  }

  function add(value: unknown, info: GraphQLResolveInfo): void {
    bytes += sizeOfResult(value, info, maxResultBytes - bytes, "keys")
    requireWithinLimit()
  }

  return {
    /** Gets each API with a field that succeeded. */
    succeeded: new Set<PreparedApi>(),
    /** Gets the usage entry of each deprecated API, parameter and field that the query uses. */
    deprecated: new Set<string>(),
    requireWithinLimit,
    /** Returns a promise to wait for before the next run; undefined if there is room for it. */
    room: () => answer.room() ?? largeRun ?? undefined,
    /** Counts the input of a run until it ends. */
    async during(running: Promise<Outcome>, input: unknown): Promise<Outcome> {
      const size = weightOf(input, Number.POSITIVE_INFINITY)
      answer.add(size)
      if (size >= smallBytes) largeRun = running
      const outcome = await running
      answer.free(size)
      if (largeRun === running) largeRun = null
      return outcome
    },
    add,
    /** Counts the data of a root field. */
    addRoot(data: unknown, info: GraphQLResolveInfo): void {
      const size = sizeOfResult(data, info, maxResultBytes - held, "once")
      held += size
      answer.add(size)
      requireWithinLimit()
      add(data, info)
    },
  }
}

/** Runs root fields. */
function createFieldContext(
  apis: readonly PreparedApi[],
  results: ReturnType<typeof createResults>,
  caller: Caller,
  request: CallerRequest,
  pipeline: Pipeline,
): FieldContext {
  const byId = new Map(apis.map((api) => [api.definition.id, api]))
  const runDnsField = createDnsFields(pipeline.ports.clock)
  const giveWay = () => pipeline.scheduler.giveWay(caller.account.id)
  /** Over when the last run that waits for something has used its first time. GraphQL begins all fields at once. */
  let before: Promise<void> | null = null
  return {
    giveWay,
    count: results.add,
    useDeprecated: (entry) => results.deprecated.add(entry),
    run(id, values, info) {
      const api = byId.get(id)
      if (!api) throw new Error(`'${id}' runs but was not paid for`)
      const take = ({ data, fault }: Outcome) => {
        if (fault) {
          throw new GraphQLError(shorten(fault.message), { extensions: { code: fieldCodeOf(fault) } })
        }
        results.addRoot(data, info)
        results.succeeded.add(api)
        for (const entry of api.findDeprecated()?.({ kind: "typed", values }) ?? []) {
          results.deprecated.add(entry)
        }
        return data
      }
      const context = { caller, request, pipeline }
      if (asksOutside(api)) {
        const start = async (dnsQuestions: DnsQuestions) => {
          await giveWay()
          results.requireWithinLimit()
          return checkAndRun(api, { kind: "typed", values }, { ...context, dnsQuestions })
        }
        return runDnsField(start).then(take)
      }
      const run = (): unknown => {
        results.requireWithinLimit()
        const room = results.room()
        if (room) return room.then(start)
        const outcome = checkAndRun(api, { kind: "typed", values }, context)
        return outcome instanceof Promise ? results.during(outcome, values).then(take) : take(outcome)
      }
      const start = (): unknown => {
        const pause = before?.then(giveWay) ?? giveWay()
        const running = pause?.then(run) ?? run()
        if (running instanceof Promise) before = pause?.then(afterStep) ?? afterStep()
        return running
      }
      return start()
    },
  }
}

/** One request on its way through the yoga plugin. */
export type GraphqlCall = ReturnType<typeof startGraphqlCall>

/**
 * The call of a request that was just received.
 * @param idempotencyKey null without one
 */
export function startGraphqlCall(request: CallerRequest, idempotencyKey: string | null) {
  const progress: Progress = { caller: null, rate: null }
  return {
    ...progress,
    request,
    idempotencyKey,
    /** The query with its variables as the client sent them, once the body is read. */
    input: null as object | null,
    /** Whether it was charged before, under the same key. */
    isReplay: false,
    /** Ids of the APIs that the query runs. */
    apis: [] as readonly string[],
    charged: nothingCharged as CallRecord["charged"],
    /** The operation to run, once the document is read. */
    parts: null as QueryParts | null,
    /** Counts the data of the results, from before the first is made until the text of the answer is; null before and after. */
    results: null as UnsentAnswer | null,
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

/** Time after which no further field starts. The runs themselves have their own limits. */
const maxWaitMs = 20_000

/**
 * Lets all DNS fields of a query share the questions of one call: a query costs each API once. The fields run one after the
 * other, so that the first ones get complete answers; side by side, all of them could run out of questions.
 * @returns a function that starts a field when the fields before have ended, and returns its result. It throws a GraphQLError
 *   QUERY_TOO_COMPLEX when the query's questions or its time are used up before or during the run
 */
function createDnsFields(clock: Clock) {
  const questions = countDnsQuestions()
  let before: Promise<unknown> | null = null
  let endMs = Number.POSITIVE_INFINITY

  return <T>(run: (questions: DnsQuestions) => T | Promise<T>): Promise<T> => {
    async function runNext() {
      if (questions.left === 0) throw tooManyQuestions()
      if (clock.monotonicMs() >= endMs) {
        throw tooComplex(`Asking the DNS for this query has taken ${maxWaitMs / 1_000} seconds.`)
      }
      const result = await run(questions)
      if (questions.isExceeded) throw tooManyQuestions()
      return result
    }
    if (before === null) endMs = clock.monotonicMs() + maxWaitMs
    const result = before === null ? runNext() : before.then(runNext)
    // The error is the field's; the next field only waits for its end.
    before = result.catch(() => {})
    return result
  }
}

function tooManyQuestions(): GraphQLError {
  return tooComplex(`The DNS questions of one query, ${maxDnsQuestions} in all, are used up.`)
}

function tooComplex(reason: string): GraphQLError {
  const advice = "Ask for this field in another query, or use a batch."
  return new GraphQLError(`${reason} ${advice}`, { extensions: { code: "QUERY_TOO_COMPLEX" } })
}
