/** The keys of the mock in every way of calling. `serve` does not have them. */
import { expect, test } from "bun:test"
import { catalog } from "../src/app/prepare.ts"
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

/** With a tail a key has the form that clients of hosted services require: 32 letters and digits, or more. */
const tail = "-0123456789abcdef0123456789ABCDEF"
const withTail = <T>([key, expected]: [string, T]): [string, T] => [`${key}${tail}`, expected]

test.each([...Object.entries(states), ...Object.entries(states).map(withTail)])(
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

const working: [key: string, plan: string][] = [
  ["mock-key", "pro"],
  ["mock-free", "free"],
  ["mock-pro", "pro"],
  ["mock-expiring", "pro"],
]

test.each([...working, ...working.map(withTail)])("%s works on plan %s in every way", async (key, plan) => {
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

test("a key with a tail is the key before the tail: the same account, credits and faults", async () => {
  await mock.reset()
  for (const key of ["mock-pro", "mock-pro-1", `mock-pro${tail}`]) await ways.rest(mock, key)
  const { data } = await readAnswer(mock.fetch("/v1/usage", { key: "mock-pro-a-b" }))
  expect(data?.credits).toMatchObject({ used: 3 })
  const find = async (key: string) =>
    (await mock.control("GET", `/requests?key=${key}`)).data?.requests as { key: string }[]
  expect((await find("mock-pro")).map(({ key }) => key)).toEqual([
    "mock-pro",
    "mock-pro-1",
    `mock-pro${tail}`,
    "mock-pro-a-b",
  ])
  expect((await find("mock-pro-1")).map(({ key }) => key)).toEqual(["mock-pro-1"])

  const statusWith = async (key: string) => (await ways.rest(mock, key)).status
  await mock.control("PUT", "/faults", { key: "mock-pro", status: 503 })
  expect([
    await statusWith("mock-pro"),
    await statusWith("mock-pro-1"),
    await statusWith("mock-free-1"),
  ]).toEqual([503, 503, 200])
  await mock.reset()
  await mock.control("PUT", "/faults", { key: "mock-pro-1", status: 503 })
  expect([
    await statusWith("mock-pro"),
    await statusWith("mock-pro-1"),
    await statusWith("mock-pro-2"),
  ]).toEqual([200, 503, 200])
  await mock.reset()
})

const others = "mock-pro-|mock-pro_1|mock-pro1|mock-pro-1_2|mock-pro-1 2|mock-pro-é|mock-|mock-p-1".split("|")
test.each(others)("%j is no key", async (key) => expect((await ways.rest(mock, key)).status).toBe(401))

test("every API computes its examples' answers, as the service does", async () => {
  for (const api of catalog)
    for (const example of api.examples) {
      if (example.given) continue
      const body = { inputs: [example.input] }
      const answer = await post(mock, `/v1/${api.id}/batch`, "mock-pro", body)
      const { data } = (await answer.json()) as { data: { results: { data: unknown }[] } }
      expect(data.results[0]?.data).toEqual(example.output)
    }
})

test("--plan is the plan of mock-key", async () => {
  const starter = await startTestMock({ plan: "starter" })
  expect((await ways.rest(starter, "mock-key")).headers.get("x-api-current-plan")).toBe("starter")
  await expect(startTestMock({ plan: "gold" })).rejects.toThrow("--plan must be one of free, starter")
})

test("a throttled key works again after the time in Retry-After", async () => {
  expect((await ways.rest(mock, "mock-rate-limited")).headers.get("retry-after")).toBe("60")
  await mock.control("PUT", "/clock", { advance: "60s" })
  expect((await ways.rest(mock, "mock-rate-limited")).status).toBe(200)
  expect((await ways.rest(mock, "mock-rate-limited")).status).toBe(429)
  await mock.reset()
})

test("serve has no control path", async () => {
  for (const path of ["", "/requests", "/faults", "/stubs", "/clock", "/dns", "/notices", "/reset"])
    for (const method of ["GET", "PUT", "POST", "DELETE"]) {
      const answer = await service.fetch(`/_mock${path}`, { method })
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ error: expect.not.stringContaining("There is /_mock") })
    }
})

test("serve has no key of the mock", async () => {
  const keys = ["mock-key", "mock-free", "mock-pro", "mock-expiring", ...Object.keys(states)]
  for (const key of [...keys, ...keys.map((name) => `${name}${tail}`)])
    expect((await service.fetch("/v1/bluetoothlookup?companyid=76", { key })).status).toBe(401)
})

test("a key of the mock is not taken for a request id", async () => {
  for (const id of ["mock-pro", "mock-pro-0123456789abcdef0123456789abcdef"])
    for (const path of ["/v1/bluetoothlookup?companyid=76", "/_mock"]) {
      const answer = await mock.fetch(path, { headers: { "x-request-id": id } })
      expect(answer.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9_-]{12}\.[0-9a-z]+$/)
    }
  const answer = await mock.fetch("/health", { headers: { "x-request-id": "mock-test-1" } })
  expect(answer.headers.get("x-request-id")).toBe("mock-test-1")
})
