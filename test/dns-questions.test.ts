/** How many DNS questions one request may cause, and in whose turns they are asked. */

import { beforeEach, expect, test } from "bun:test"
import { type Dns, type DnsAnswer, type DnsType, unavailable } from "../src/apis/contract.ts"
import { spfvalidator } from "../src/apis/spfvalidator/index.ts"
import { readAnswer } from "./support/answer.ts"
import { echoApi, startCatalogService } from "./support/catalog-service.ts"
import { createManualClock } from "./support/clock.ts"
import { noExchange } from "./support/dns.ts"
import { readGraphql } from "./support/graphql.ts"

const asked: { readonly name: string; readonly account: string | undefined }[] = []
let onQuestion = (_name: string) => {}
let isAlive = true
beforeEach(() => {
  asked.length = 0
  isAlive = true
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
  answers: async () => isAlive,
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
/** Asks as many questions as its input says, and fails if the last one is not answered, or if that is asked for. */
function asker(id: string, credits: number) {
  const api = echoApi(
    id,
    async ({ what }, { ports }) => {
      const [count = "", end] = what.split(" ")
      let answer: DnsAnswer = { kind: "nodata" }
      for (let n = 0; n < Number(count); n++) answer = await ports.dns.resolve(`${id}${n}.example`, "A")
      if (end === "fails" || answer.kind === "failure") unavailable("There was no answer.")
      return { done: what }
    },
    credits,
  )
  return { ...api, asksDns: true }
}

const own = startCatalogService([spfvalidator, asker("cheap", 1), asker("dear", 7)], { dns, clock })
const usedBy = async (account: string) => (await own.accounts.show(account)).balance.used

function query(domains: readonly string[], key: string) {
  const fields = domains.map(
    (domain, index) =>
      `f${index}: spfvalidator(input: {domain: "${domain}", ip: "192.0.2.1"}) { spf_valid ip_result }`,
  )
  return readGraphql(own.post("/v1/graphql", { query: `{ ${fields.join(" ")} }` }, key))
}
const many = (count: number, name: string) => Array.from({ length: count }, (_, n) => `d${n}.${name}`)

test("a query with many fields that ask the DNS asks 240 questions in all; the fields that these do not cover say so, and the others are answered", async () => {
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

test("a query with many fields that ask the DNS answers as many fields as their questions allow", async () => {
  const { key } = await own.createKey("pro")
  const { codes } = await query(many(50, "plain.example"), key)
  expect(codes).toEqual([])
  expect(asked.length).toBe(50)
})

test("a query with many fields that ask the DNS gives the first fields complete answers, however the answers of the DNS come", async () => {
  const { key } = await own.createKey("pro")
  const alone = await query(["d0.greedy.example"], key)
  asked.length = 0
  expect((await query(many(50, "greedy.example"), key)).body.data?.f0).toEqual(alone.body.data?.f0)
})

test("a query with many fields that ask the DNS starts no field after 20 seconds", async () => {
  const { account, key } = await own.createKey("pro")
  onQuestion = () => clock.advance(7_000)
  const { body, codes } = await query(many(5, "plain.example"), key)
  expect(Object.values(body.data ?? {}).map((v) => v !== null)).toEqual([true, true, true, false, false])
  expect(codes).toEqual(["QUERY_TOO_COMPLEX", "QUERY_TOO_COMPLEX"])
  expect(body.errors?.[0]?.message).toStartWith("Asking the DNS for this query has taken 20 seconds.")
  expect(await usedBy(account)).toBe(5)
})

test("a query with many fields that ask the DNS costs nothing when no field is answered, and one that fails does not stop the next", async () => {
  const { account, key } = await own.createKey("pro")
  const field = (n: number) => `f${n}: spfvalidator(input: {domain: "silent${n}.example"}) { spf_valid }`
  const body = { query: `{ ${[0, 1, 2].map(field).join(" ")} }` }
  const { codes } = await readGraphql(own.post("/v1/graphql", body, key))
  expect(codes).toEqual(Array(3).fill("UPSTREAM_UNAVAILABLE"))
  expect(asked.map(({ name }) => name)).toEqual([0, 1, 2].map((n) => `silent${n}.example`))
  expect(await usedBy(account)).toBe(0)
})

async function ask(fields: string) {
  const { account, key } = await own.createKey("pro")
  const { codes } = await readGraphql(own.post("/v1/graphql", { query: `{ ${fields} }` }, key))
  return { codes, asked: asked.length, used: await usedBy(account) }
}
const field = (api: string, what: string, alias = api) =>
  `${alias}: ${api}(input: {what: "${what}"}) { done }`

test("a query whose questions are used up during a field is charged for it as alone, however the fields before it ended", async () => {
  expect(await ask(field("cheap", "200 fails") + field("dear", "100"))).toEqual({
    codes: ["UPSTREAM_UNAVAILABLE", "QUERY_TOO_COMPLEX"],
    asked: 240,
    used: 7,
  })
  asked.length = 0
  expect(await ask(field("cheap", "1") + field("dear", "300"))).toMatchObject({ asked: 240, used: 8 })
})

test("a query whose questions are used up because no DNS server answers is a 503 for all fields, and free", async () => {
  isAlive = false
  const fields = [0, 1].map((n) => `f${n}: spfvalidator(input: {domain: "silent.example"}) { spf_valid }`)
  const codes = ["UPSTREAM_UNAVAILABLE", "UPSTREAM_UNAVAILABLE"]
  expect(await ask(fields.join(" "))).toEqual({ codes, asked: 1, used: 0 })
})

test("a query whose questions are used up before a field charges nothing for it", async () =>
  expect(await ask(field("cheap", "240") + field("dear", "1"))).toEqual({
    codes: ["QUERY_TOO_COMPLEX"],
    asked: 240,
    used: 1,
  }))

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
