/** How many DNS questions one request may cause, and in whose turns they are asked. */

import { beforeEach, describe, expect, test } from "bun:test"
import type { Dns, DnsAnswer, DnsType } from "../src/apis/contract.ts"
import { spfvalidator } from "../src/apis/spfvalidator/index.ts"
import { readAnswer } from "./support/answer.ts"
import { startCatalogService } from "./support/catalog-service.ts"
import { createManualClock } from "./support/clock.ts"
import { noExchange } from "./support/dns.ts"
import { readGraphql } from "./support/graphql.ts"

interface Question {
  readonly name: string
  readonly account: string | undefined
}

const asked: Question[] = []
let onQuestion = (_name: string) => {}
beforeEach(() => {
  asked.length = 0
  onQuestion = () => {}
})

/** Below `greedy.example` every record includes ten others; every other domain has a record without look-ups. */
const dns: Dns = {
  async resolve(name, type, _signal, account) {
    asked.push({ name, account })
    onQuestion(name)
    return answer(name, type) as never
  },
  exchange: noExchange,
}
function answer(name: string, type: DnsType): DnsAnswer {
  if (name.startsWith("silent")) return { kind: "failure", reason: "timeout" }
  if (type !== "TXT") return { kind: "nodata" }
  const terms = name.endsWith("greedy.example")
    ? Array.from({ length: 10 }, (_, n) => `mx:m${n}.${name} a:a${n}.${name} include:${n}.${name}`).join(" ")
    : "ip4:192.0.2.0/24"
  return { kind: "records", records: [`v=spf1 ${terms} -all`], messageBytes: 0 }
}

const clock = createManualClock()
const own = startCatalogService([spfvalidator], { dns, clock })
const usedBy = async (account: string) => (await own.accounts.show(account)).balance.used

function query(domains: readonly string[], key: string) {
  const fields = domains.map(
    (domain, index) =>
      `f${index}: spfvalidator(input: {domain: "${domain}", ip: "192.0.2.1"}) { spf_valid ip_result }`,
  )
  return readGraphql(own.post("/v1/graphql", { query: `{ ${fields.join(" ")} }` }, key))
}
const many = (count: number, name: string) => Array.from({ length: count }, (_, n) => `d${n}.${name}`)

describe("a query with many fields that ask the DNS", () => {
  test("asks 240 questions in all; the fields that these do not cover say so, and the others are answered", async () => {
    const { account, key } = await own.createKey("pro")
    const { status, body, codes } = await query(many(50, "greedy.example"), key)
    expect(asked.length).toBe(240)
    expect(status).toBe(200)
    const answered = Object.values(body.data ?? {}).filter((field) => field !== null)
    expect(answered.length).toBeGreaterThan(0)
    expect(new Set(codes)).toEqual(new Set(["QUERY_TOO_COMPLEX"]))
    expect(codes.length).toBe(50 - answered.length)
    expect(body.errors?.[0]?.message).toBe(
      "The DNS questions of one query, 240 in all, are used up. Ask for this field in another query, or use a batch.",
    )
    expect(await usedBy(account)).toBe(5)
  })

  test("answers as many fields as their questions allow", async () => {
    const { key } = await own.createKey("pro")
    const { codes } = await query(many(50, "plain.example"), key)
    expect(codes).toEqual([])
    expect(asked.length).toBe(50)
  })

  test("gives the first fields complete answers, however the answers of the DNS come", async () => {
    const { key } = await own.createKey("pro")
    const alone = await query(["d0.greedy.example"], key)
    asked.length = 0
    const together = await query(many(50, "greedy.example"), key)
    expect(together.body.data?.f0).toEqual(alone.body.data?.f0)
  })

  test("starts no field after 20 seconds", async () => {
    const { account, key } = await own.createKey("pro")
    onQuestion = () => clock.advance(7_000)
    const { body, codes } = await query(many(5, "plain.example"), key)
    expect(Object.values(body.data ?? {}).map((v) => v !== null)).toEqual([true, true, true, false, false])
    expect(codes).toEqual(["QUERY_TOO_COMPLEX", "QUERY_TOO_COMPLEX"])
    expect(body.errors?.[0]?.message).toStartWith("Asking the DNS for this query has taken 20 seconds.")
    expect(await usedBy(account)).toBe(5)
  })

  test("costs nothing when no field is answered, and one that fails does not stop the next", async () => {
    const { account, key } = await own.createKey("pro")
    const field = (n: number) => `f${n}: spfvalidator(input: {domain: "silent${n}.example"}) { spf_valid }`
    const body = { query: `{ ${[0, 1, 2].map(field).join(" ")} }` }
    const { codes } = await readGraphql(own.post("/v1/graphql", body, key))
    expect(codes).toEqual(Array(3).fill("UPSTREAM_UNAVAILABLE"))
    expect(asked.map(({ name }) => name)).toEqual([0, 1, 2].map((n) => `silent${n}.example`))
    expect(await usedBy(account)).toBe(0)
  })
})

test("every question is asked in the turns of the caller's account", async () => {
  const { account, key } = await own.createKey("pro")
  await query(many(3, "plain.example"), key)
  await readAnswer(
    own.post(
      "/v1/spfvalidator/batch",
      { inputs: many(3, "plain.example").map((domain) => ({ domain })) },
      key,
    ),
  )
  expect(asked.map((question) => question.account)).toEqual(Array(6).fill(account))
})
