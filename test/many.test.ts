/** Batch and GraphQL against REST: for every API and each of its examples the same data, charged once. */
import { describe, expect, test } from "bun:test"
import type { ApiDefinition, Example } from "../src/apis/contract.ts"
import { catalog } from "../src/app/service.ts"
import { toRootField } from "../src/surfaces/graphql/names.ts"
import { readAnswer } from "./support/answer.ts"
import { readGraphql, toQuery, withNulls } from "./support/graphql.ts"
import { startTestService, type TestService } from "./support/service.ts"
import { portsFor } from "./support/zone-ports.ts"

const cases = catalog.flatMap((api) =>
  api.examples.map((example) => [`${api.id}: ${example.name}`, api, example] as const),
)
const serviceFor = (example: Example) => startTestService({ ports: portsFor(example) })

async function threeWays(service: TestService, key: string, api: ApiDefinition, example: Example) {
  const rest = await readAnswer(service.call(api, example.input, { key }))
  const batch = await readAnswer(service.post(`/v1/${api.id}/batch`, { inputs: [example.input] }, { key }))
  const graphql = await readGraphql(service.post("/v1/graphql", toQuery(api, example.input), { key }))
  expect(graphql.body.errors).toBeUndefined()
  const results = batch.data?.results as { data: Record<string, unknown> }[]
  return {
    rest: fixed(rest.data, example),
    batch: fixed(results[0]?.data, example),
    graphql: fixed(graphql.body.data?.[toRootField(api.id)] as object, example),
  }
}

/** Fields that vary from run to run are only compared as null or not null. */
function fixed(data: object | null | undefined, { varying = [] }: Example): Record<string, unknown> {
  const entries = Object.entries(data ?? {})
  return Object.fromEntries(
    entries.map(([name, value]) => [name, varying.includes(name) && value !== null ? "varying" : value]),
  )
}

describe.each(cases)("%s", (_title, api, example) => {
  test.each(["pro", "free"])("REST, batch and GraphQL give the same data on the plan %s", async (plan) => {
    const service = await serviceFor(example)
    const { account, key } = await service.createKey(plan)
    const { rest, batch, graphql } = await threeWays(service, key, api, example)
    expect(Object.keys(rest).length).toBeGreaterThan(0)
    expect(batch).toEqual(rest)
    expect(graphql).toEqual(withNulls(api.output, rest) as typeof graphql)
    expect(await service.accounts.usage(account, 1)).toEqual([
      expect.objectContaining({ api: api.id, calls: 3, credits: 3 * api.credits }),
    ])
  })
})
