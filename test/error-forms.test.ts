/** Errors and limits in the forms that programs read: a code, problem details, structured rate-limit headers. */
import { describe, expect, test } from "bun:test"
import { parseDictionary, parseList } from "structured-headers"
import { faultCodes } from "../src/call/fault.ts"
import { readAnswer } from "./support/answer.ts"
import { postWith } from "./support/keyed-request.ts"
import { startTestMock } from "./support/mock.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService()
const mock = await startTestMock()
const { key } = await service.createKey("free")
const problemType = "application/problem+json"

type Case = readonly [code: string, status: number, path: string, init: Parameters<typeof service.fetch>[1]]
const cases: readonly Case[] = [
  ["keyMissing", 401, "/v1/bluetoothlookup?companyid=76", {}],
  ["keyMalformed", 401, "/v1/usage", { key: "pk-wrong" }],
  ["inputRejected", 400, "/v1/bluetoothlookup?companyid=x", { key }],
  ["mediaTypeUnsupported", 415, "/v1/hmac/batch", { key, method: "POST", body: "x" }],
  ["methodNotAllowed", 405, "/v1/usage", { key, method: "DELETE" }],
  ["notFound", 404, "/v1/nothing", { key }],
]

describe.each(cases)("the error %s", (code, status, path, init) => {
  test("has its code in a header, in the envelope of every format", async () => {
    for (const accept of ["application/json", "application/xml", "text/csv"]) {
      const answer = await service.fetch(path, { ...init, headers: { accept } })
      expect([answer.status, answer.headers.get("x-error-code")]).toEqual([status, code])
      expect(answer.headers.get("content-type")).toStartWith(accept)
      expect(answer.headers.get("access-control-expose-headers") ?? "").toContain("x-error-code")
    }
  })

  test("is problem details for a request that prefers them", async () => {
    const headers = { accept: `${problemType}, application/json;q=0.9` }
    const answer = await service.fetch(path, { ...init, headers })
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, problemType])
    expect(answer.headers.get("x-error-code")).toBe(code)
    const plain = await readAnswer(service.fetch(path, init))
    expect(await answer.json()).toEqual({
      type: `urn:penknife:problem:${code}`,
      title: expect.stringMatching(/\w/),
      status,
      detail: plain.error,
      request_id: answer.headers.get("x-request-id"),
    })
  })
})

test("docs/apis.md shows problem details as they are sent", async () => {
  const headers = { accept: problemType, "x-request-id": "my-request-1" }
  const answer = await service.fetch("/v1/bluetoothlookup?companyid=apple", { key, headers })
  const page = await Bun.file(new URL("../docs/apis.md", import.meta.url)).text()
  expect(page).toContain(`\`\`\`json\n${JSON.stringify(await answer.json(), null, 2)}\n\`\`\``)
})

const accountHeaders = ["x-api-credits-used", "x-api-current-plan", "x-ratelimit-limit"]

test.each([
  ["inputRejected", 400, "/v1/bluetoothlookup?companyid=x", {}],
  ["inputRejected", 400, "/v1/hmac", postWith("{")],
  ["apiForbidden", 403, "/v1/sunrisesunset?lat=1&lon=2", {}],
  ["bodyTooLarge", 413, "/v1/hmac", postWith(" ".repeat(3_000_000))],
  ["mediaTypeUnsupported", 415, "/v1/hmac", { method: "POST", body: "x" }],
] as const)("%s, %d of %s has the headers of account and limit", async (code, status, path, init) => {
  const { key: own } = await service.createKey("free", { blockApis: ["sunrisesunset"] })
  const { status: answered, headers } = await service.fetch(path, { key: own, ...init })
  expect([answered, headers.get("x-error-code")]).toEqual([status, code])
  const expected = code === "apiForbidden" ? accountHeaders.slice(0, 2) : accountHeaders
  expect(expected.filter((name) => !headers.has(name))).toEqual([])
})

test.each([
  ["creditsUsedUp", 429, "mock-no-credits", "/v1/bluetoothlookup?companyid=76"],
  ["rateLimited", 429, "mock-rate-limited", "/v1/bluetoothlookup?companyid=76"],
  ["addressForbidden", 403, "mock-forbidden", "/v1/bluetoothlookup?companyid=76"],
  ["upstreamUnavailable", 503, "mock-free", "/v1/spfvalidator?domain=timeout.example"],
] as const)("%s, %d for the key %s has the headers of the account", async (code, status, own, path) => {
  const { status: answered, headers } = await mock.fetch(path, { key: own })
  expect([answered, headers.get("x-error-code")]).toEqual([status, code])
  expect(accountHeaders.slice(0, 2).filter((name) => !headers.has(name))).toEqual([])
  const isLimited = own === "mock-free" || own === "mock-rate-limited"
  expect(headers.has("x-ratelimit-limit")).toBe(isLimited)
})

test("a 404 and a 405 have no headers of account and limit", async () => {
  for (const [path, method] of [
    ["/v1/nothing", "GET"],
    ["/v1/usage", "DELETE"],
    ["/v1/hmac", "HEAD"],
  ] as const) {
    const { headers } = await service.fetch(path, { key, method })
    expect(accountHeaders.filter((name) => headers.has(name))).toEqual([])
  }
})

test.each([
  ["*/*", "application/json"],
  ["application/json, application/problem+json;q=0.5", "application/json"],
  ["application/xml, application/problem+json;q=0.5", "application/xml; charset=utf-8"],
  ["application/problem+json;q=0", "application/json"],
])("problem details are not sent for Accept: %s", async (accept, type) => {
  expect((await service.fetch("/v1/nothing", { headers: { accept } })).headers.get("content-type")).toBe(type)
})

test("problem details are not sent for ?format=, which wins over Accept", async () => {
  const answer = await service.fetch("/v1/usage?format=yaml", { headers: { accept: problemType } })
  expect(answer.headers.get("content-type")).toBe("application/yaml")
})

test("problem details are not sent for a success, which is JSON and has no code", async () => {
  const answer = await service.fetch("/v1/usage", { key, headers: { accept: problemType } })
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
  expect(answer.headers.has("x-error-code")).toBe(false)
})

test("the limit per minute is told in structured fields too, with the same numbers", async () => {
  const { key: own } = await service.createKey("free")
  const answer = await service.fetch("/v1/bluetoothlookup?companyid=76", { key: own })
  const header = (name: string) => answer.headers.get(name) ?? ""
  const [[policy, quota] = [], ...more] = parseList(header("ratelimit-policy"))
  expect([policy, more]).toEqual(["minute", []])
  expect(Object.fromEntries(quota ?? [])).toEqual({ q: Number(header("x-ratelimit-limit")), w: 60 })
  const [[limit, left] = []] = parseList(header("ratelimit"))
  expect(limit).toBe("minute")
  expect(Object.fromEntries(left ?? [])).toEqual({
    r: Number(header("x-ratelimit-remaining")),
    t: Number(header("x-ratelimit-reset")),
  })
  expect(parseDictionary(`a=${header("x-ratelimit-limit")}`).size).toBe(1)
  const { key: unlimited } = await service.createKey("pro")
  const free = await service.fetch("/v1/bluetoothlookup?companyid=76", { key: unlimited })
  expect([free.headers.has("ratelimit"), free.headers.has("ratelimit-policy")]).toEqual([false, false])
})

test("codes keep their form", () => {
  for (const code of faultCodes) expect(code).toMatch(/^[a-z]+([A-Z][a-z]+)*$/)
})
