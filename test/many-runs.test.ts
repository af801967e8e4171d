/** Batch and GraphQL: what of a request runs, and when. */
import { expect, test } from "bun:test"
import { readAnswer } from "./support/answer.ts"
import { echoApi, startCatalogService } from "./support/catalog-service.ts"
import { readGraphql } from "./support/graphql.ts"

/** Every API that has run, in order. */
const ran: string[] = []
let inProgress = 0
const together = Promise.withResolvers<void>()

/** Answers when three runs are in progress. */
async function meet({ what }: { readonly what: string }) {
  ran.push("one")
  inProgress++
  if (inProgress === 3) together.resolve()
  await together.promise
  return { done: what }
}
/** Costs all credits that the plan 'starter' has in a month. */
const dear = echoApi("dear", runDear, 200_000)
function runDear({ what }: { readonly what: string }) {
  ran.push("dear")
  return { done: what }
}
const own = startCatalogService([echoApi("one", meet), echoApi("two", meet), dear])
const graphql = async (query: string, key: string) => readGraphql(own.post("/v1/graphql", { query }, key))

test("the fields of a query run side by side, also those of one API", async () => {
  const { key } = await own.createKey("pro")
  const { body } = await graphql(
    `{ one(input: {what: "a"}) { done } two(input: {what: "b"}) { done } again: one(input: {what: "c"}) { done } }`,
    key,
  )
  expect(body).toEqual({ data: { one: { done: "a" }, two: { done: "b" }, again: { done: "c" } } })
})

test("where the balance does not cover the whole, nothing runs of a query: 402", async () => {
  const { account, key } = await own.createKey("starter")
  ran.length = 0
  const both = `{ one(input: {what: "a"}) { done } dear(input: {what: "b"}) { done } }`
  const { status, codes, body } = await graphql(both, key)
  expect([status, codes, Object.keys(body), ran]).toEqual([402, ["INSUFFICIENT_CREDITS"], ["errors"], []])
  expect(body.errors?.[0]?.message).toContain("this call costs 200001 credits, and 200000 are left")
  expect((await own.accounts.show(account)).balance.used).toBe(0)
  // Alone it is covered, so that nothing of the refused query is held.
  expect((await graphql(`{ dear(input: {what: "b"}) { done } }`, key)).status).toBe(200)
  expect(ran).toEqual(["dear"])
})

test("where the balance does not cover the whole, nothing runs of a batch: 429", async () => {
  const { account, key } = await own.createKey("starter")
  ran.length = 0
  const refused = await own.post("/v1/dear/batch", { inputs: [{ what: "a" }, { what: "b" }] }, key)
  expect([refused.status, ran]).toEqual([429, []])
  expect((await own.accounts.show(account)).balance.used).toBe(0)
  const { data } = await readAnswer(own.post("/v1/dear/batch", { inputs: [{ what: "a" }] }, key))
  expect([data?.succeeded, ran]).toEqual([1, ["dear"]])
})

test("what is refused for another reason does not run either", async () => {
  const { key } = await own.createKey("pro")
  const { key: free } = await own.createKey("free")
  ran.length = 0
  const field = `(input: {what: "a"}) { done }`
  for (const [query, code, asker = key] of [
    [`{ one${field} nothing }`, "GRAPHQL_VALIDATION_FAILED"],
    [
      `query($a: Int!) { one${field} two(input: {what: "b"}) @skip(if: $a) { done } }`,
      "GRAPHQL_VALIDATION_FAILED",
    ],
    [`query($a: Boolean!) { one${field} two(input: {what: "b"}) @skip(if: $a) { done } }`, "BAD_REQUEST"],
    [`{ one${field} two${field} }`, "PLAN_LIMIT_EXCEEDED", free],
    [`mutation { one${field} }`, "OPERATION_NOT_SUPPORTED"],
  ] as const)
    expect((await graphql(query, asker)).codes).toEqual([code])
  for (const inputs of [[], {}, Array(201).fill({ what: "a" })])
    expect((await own.post("/v1/one/batch", { inputs }, key)).status).toBe(400)
  expect(ran).toEqual([])
})
