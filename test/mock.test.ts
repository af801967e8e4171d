/** The keys of the mock in every way of calling. `serve` does not have them. */
import { describe, expect, test } from "bun:test"
import { catalog } from "../src/app/service.ts"
import { readAnswer } from "./support/answer.ts"
import { errorReaders } from "./support/formats.ts"
import { post, readGraphql, startTestMock, ways } from "./support/mock.ts"
import { startTestService } from "./support/service.ts"

const mock = await startTestMock()
const service = await startTestService()

interface State {
  readonly rest: number
  readonly graphql: [status: number, code: string]
  readonly error: RegExp
}

const states: Readonly<Record<string, State>> = {
  "mock-expired": { rest: 401, graphql: [401, "INVALID_API_KEY"], error: /has expired/ },
  "mock-revoked": { rest: 401, graphql: [401, "INVALID_API_KEY"], error: /has been revoked/ },
  "mock-forbidden": { rest: 403, graphql: [403, "FORBIDDEN"], error: /not be used from this IP address/ },
  "mock-no-credits": { rest: 429, graphql: [402, "INSUFFICIENT_CREDITS"], error: /credits .* are used up/ },
  "mock-rate-limited": { rest: 429, graphql: [429, "RATE_LIMITED"], error: /The limit of 1 call per minute/ },
  "mock-unavailable": { rest: 503, graphql: [503, "UPSTREAM_UNAVAILABLE"], error: /Nothing was charged/ },
}

test.each(Object.entries(states))(
  "%s fails in every way of calling",
  async (key, { rest, graphql, error }) => {
    for (const [format, readError] of Object.entries(errorReaders)) {
      const answer = await ways.rest(mock, key, format)
      expect([format, answer.status]).toEqual([format, rest])
      expect(readError(await answer.text())).toMatch(error)
    }
    const batch = await ways.batch(mock, key)
    expect(batch.status).toBe(rest)
    expect(await batch.json()).toEqual({ status: "error", error: expect.stringMatching(error), data: null })
    const [status, code] = graphql
    expect(await readGraphql(ways.graphql(mock, key))).toEqual({ status, code, data: null })
  },
)

test.each([
  ["mock-key", "pro"],
  ["mock-free", "free"],
  ["mock-pro", "pro"],
  ["mock-expiring", "pro"],
])("%s works on the plan %s in every way of calling", async (key, plan) => {
  for (const [format, readError] of Object.entries(errorReaders)) {
    const answer = await ways.rest(mock, key, format)
    expect([format, answer.status]).toEqual([format, 200])
    expect(answer.headers.get("x-api-current-plan")).toBe(plan)
    const text = await answer.text()
    expect(readError(text) ?? "").toBe("")
    expect(text).toContain("Apple, Inc.")
  }
  const batch = await ways.batch(mock, key)
  expect(await batch.json()).toMatchObject({ status: "ok", data: { succeeded: 2, credits_used: 2 } })
  const query = await readGraphql(ways.graphql(mock, key))
  expect(query).toEqual({ status: 200, code: null, data: { bluetoothlookup: { company: "Apple, Inc." } } })
  const { data } = await readAnswer(mock.fetch("/v1/spfvalidator?domain=good.example", { key }))
  expect("risk_score" in (data ?? {})).toBe(plan !== "free")
})

test("every API computes its examples' answers, as the service does", async () => {
  for (const api of catalog) {
    for (const example of api.examples) {
      if (example.given) continue
      const body = { inputs: [example.input] }
      const answer = await post(mock, `/v1/${api.id}/batch`, "mock-pro", body)
      const { data } = (await answer.json()) as { data: { results: { data: unknown }[] } }
      expect(data.results[0]?.data).toEqual(example.output)
    }
  }
})

test("--plan is the plan of mock-key", async () => {
  const starter = await startTestMock({ plan: "starter" })
  const answer = await ways.rest(starter, "mock-key")
  expect(answer.headers.get("x-api-current-plan")).toBe("starter")
  await expect(startTestMock({ plan: "gold" })).rejects.toThrow("--plan must be one of free, starter")
})

test("a throttled key works again after the time in Retry-After", async () => {
  const throttled = await ways.rest(mock, "mock-rate-limited")
  expect(throttled.headers.get("retry-after")).toBe("60")
  await mock.control("PUT", "/clock", { advance: "60s" })
  expect((await ways.rest(mock, "mock-rate-limited")).status).toBe(200)
  expect((await ways.rest(mock, "mock-rate-limited")).status).toBe(429)
  await mock.reset()
})

describe("serve", () => {
  test("has no control path", async () => {
    for (const path of ["", "/requests", "/faults", "/stubs", "/clock", "/dns", "/notices", "/reset"]) {
      for (const method of ["GET", "PUT", "POST", "DELETE"]) {
        const answer = await service.fetch(`/_mock${path}`, { method })
        expect(answer.status).toBe(404)
        expect(await answer.json()).toMatchObject({ error: expect.not.stringContaining("There is /_mock") })
      }
    }
  })

  test("has no key of the mock", async () => {
    for (const key of ["mock-key", "mock-free", "mock-pro", "mock-expiring", ...Object.keys(states)]) {
      const answer = await service.fetch("/v1/bluetoothlookup?companyid=76", { key })
      expect(answer.status).toBe(401)
    }
  })
})
