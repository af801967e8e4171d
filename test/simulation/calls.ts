/** Calls of APIs by simulated clients: single ones, batches and GraphQL queries, as the surfaces make them below HTTP. */
import { execute, type GraphQLSchema, parse } from "graphql"
import { runBatch } from "../../src/call/batch.ts"
import type { CallerRequest } from "../../src/call/caller.ts"
import type { IdempotentCall } from "../../src/call/idempotency.ts"
import { workIdempotently } from "../../src/call/idempotent-work.ts"
import {
  admit,
  answerAdmitted,
  type Pipeline,
  type Progress,
  type Reply,
  replyToThrown,
  type WorkResult,
} from "../../src/call/pipeline.ts"
import type { PreparedApi } from "../../src/call/prepared-api.ts"
import { runSingle } from "../../src/call/run.ts"
import { type QueryParts, selectOperation } from "../../src/surfaces/graphql/query-parts.ts"
import { createGraphqlSchema } from "../../src/surfaces/graphql/schema.ts"
import { executeMetered, startGraphqlCall } from "../../src/surfaces/http/metered-graphql.ts"
import type { Instance } from "./instance.ts"
import type { CallAction } from "./plan.ts"

/** A query asks this many APIs, the first ones. */
const queryApis = 2
let schema: GraphQLSchema | null = null

/** Makes a call on an instance. */
export async function makeCall(
  { apis, pipeline }: Pick<Instance, "apis" | "pipeline">,
  action: CallAction,
  secretHash: string,
  hasLeft: () => boolean,
): Promise<Reply> {
  const request = {
    key: null,
    secretHash,
    hasTwoKeys: false,
    address: () => "192.0.2.1",
    requestId: "r",
    hasLeft,
  }
  const progress: Progress = { caller: null, rate: null }
  const ids = action.kind === "query" ? [] : [apiOf(apis, action).definition.id]
  try {
    await admit(request, ids, pipeline, progress)
  } catch (thrown) {
    return replyToThrown(thrown, "r", progress, pipeline)
  }
  return answerAdmitted(request, progress, pipeline, (caller) => {
    const { key, size, bads, isOther, kind } = action
    const values = { n: size + (isOther ? 1_000 : 0) }
    if (kind === "query") return runQuery(apis, { request, key, n: values.n }, caller, pipeline)
    const api = apiOf(apis, action)
    const inputs = Array.from({ length: size }, (_, index) => ({
      ...values,
      ...(index < bads && { bad: true }),
    }))
    const raw = { kind: "typed", values } as const
    const nothing = () => undefined
    const writer = { resultsPerPart: 100, write: nothing, room: nothing, count: () => 0, free: nothing }
    const work = (idempotent: IdempotentCall | null) =>
      kind === "single"
        ? runSingle({ api, request, raw, input: api.readInput(raw) }, caller, pipeline, idempotent)
        : runBatch({ api, request, inputs, writer }, caller, pipeline, idempotent)
    if (key === null) return work(null)
    const input = kind === "single" ? values : { inputs }
    return workIdempotently(
      { key, path: `/${kind}/${api.definition.id}`, input, apis: [api] },
      caller,
      pipeline,
      work,
    )
  })
}

/** The most that a call may cost, whatever the prices are. */
export function mostCredits({ apis }: Pick<Instance, "apis">, action: CallAction): number {
  const most = (api: PreparedApi) => api.credits + 2
  if (action.kind === "query") return apis.slice(0, queryApis).reduce((sum, api) => sum + most(api), 0)
  return most(apiOf(apis, action)) * (action.kind === "batch" ? action.size : 1)
}

function apiOf(apis: readonly PreparedApi[], { api }: CallAction): PreparedApi {
  const found = apis[api]
  if (!found) throw new Error(`there is no API ${api}`)
  return found
}

async function runQuery(
  apis: readonly PreparedApi[],
  { request, key, n }: { readonly request: CallerRequest; readonly key: string | null; readonly n: number },
  caller: NonNullable<Progress["caller"]>,
  pipeline: Pipeline,
): Promise<WorkResult> {
  schema ??= createGraphqlSchema(apis.map(({ definition }) => definition))
  const input = { query: `${n}`, operationName: null, variables: {} }
  const call = { ...startGraphqlCall(request, key), caller, input, parts: queryOf(n) }
  const byField = new Map(apis.map((api) => [api.definition.id, api]))
  const result = await executeMetered(call, { schema, byField, pipeline }, execute)
  if (result.errors) throw new Error(`a query must have a result: ${result.errors}`)
  return { data: { ...result.data }, charged: call.charged, fault: null, isReplay: call.isReplay }
}

const queries = new Map<number, QueryParts>()

function queryOf(n: number): QueryParts {
  const known = queries.get(n)
  if (known) return known
  const fields = Array.from({ length: queryApis }, (_, index) => `a${index}(input: { n: ${n} }) { n }`)
  const made = selectOperation(parse(`{ ${fields.join(" ")} }`), null)
  queries.set(n, made)
  return made
}
