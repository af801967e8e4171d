/** The members that faults and stubs share: `headers`, `body`, `input` and `probability`; and `POST` instead of `PUT`. */
import { beforeEach, describe, expect, test } from "bun:test"
import { readAnswer } from "./support/answer.ts"
import { post, readGraphql, startTestMock, ways } from "./support/mock.ts"

const mock = await startTestMock()
beforeEach(() => mock.reset())

const key = "mock-pro"
const fault = (rule: object) => mock.control("PUT", "/faults", rule)
const stub = (rule: object) => mock.control("PUT", "/stubs", rule)
const lookUp = (id: string) => mock.fetch(`/v1/bluetoothlookup?companyid=${id}`, { key })
const batch = (...ids: string[]) =>
  post(mock, "/v1/bluetoothlookup/batch", key, { inputs: ids.map((companyid) => ({ companyid })) })
const query = (query: string, variables = {}) => post(mock, "/v1/graphql", key, { query, variables })

async function statusesOf(count: number, id = "76"): Promise<number[]> {
  const statuses: number[] = []
  for (let call = 0; call < count; call++) statuses.push((await lookUp(id)).status)
  return statuses
}

test("headers and body of a fault replace those of the answer, whatever its status", async () => {
  const page = "<h1>Bad Gateway</h1>"
  const headers = { "content-type": "text/html", "Retry-After": "7", server: "proxy" }
  for (const status of [502, 503, 429]) {
    await fault({ api: "bluetoothlookup", status, headers, body: page })
    const answer = await lookUp("76")
    expect([answer.status, await answer.text()]).toEqual([status, page])
    for (const [name, value] of Object.entries(headers)) expect(answer.headers.get(name)).toBe(value)
  }
  const { data } = await mock.control("GET", "/requests?status=502")
  expect(data?.requests).toMatchObject([
    {
      fault: { status: 502, headers, body: page },
      response: { status: 502, body: page, headers: { server: "proxy" } },
    },
  ])
})

test("headers and body of a fault without a status change a success, which is charged", async () => {
  await fault({ headers: { "x-api-remaining-credits": "3" }, times: 1 })
  const answer = await lookUp("76")
  expect([answer.status, answer.headers.get("x-api-remaining-credits")]).toEqual([200, "3"])
  expect((await readAnswer(answer)).data).toMatchObject({ company: "Apple, Inc." })
  await fault({ body: { status: "ok", data: [1] }, times: 1 })
  const replaced = await lookUp("76")
  expect(replaced.headers.get("content-type")).toBe("application/json")
  expect(await replaced.json()).toEqual({ status: "ok", data: [1] })
  expect((await lookUp("76")).headers.get("x-api-credits-used")).toBe("3")
})

test.each(["rest", "batch", "graphql"] as const)(
  "headers and body of a stub replace those of %s",
  async (way) => {
    await stub({ api: "bluetoothlookup", headers: { "x-stubbed": "yes" }, body: "not what you expect" })
    const answer = await ways[way](mock, key)
    expect([answer.status, answer.headers.get("x-stubbed")]).toEqual([200, "yes"])
    expect(await answer.text()).toBe("not what you expect")
    const refused = await ways[way](mock, "mock-no-credits")
    expect([refused.ok, refused.headers.get("x-stubbed")]).toEqual([false, null])
  },
)

test("headers and body: headers of a stub go with its data, or with what the API computes", async () => {
  await stub({ api: "bluetoothlookup", input: { companyid: "76" }, headers: { "x-age": "1" } })
  const input = { companyid: "77" }
  await stub({ api: "bluetoothlookup", input, headers: { "x-age": "2" }, data: { company: "B" } })
  const answers = await Promise.all(["76", "77", "78"].map(lookUp))
  const companies = await Promise.all(answers.map(async (one) => (await readAnswer(one)).data?.company))
  expect(companies.slice(0, 2)).toEqual(["Apple, Inc.", "B"])
  expect(answers.map(({ headers }) => headers.get("x-age"))).toEqual(["1", "2", null])
})

test("headers and body: a malformed body is the replaced one", async () => {
  await fault({ body: "{}", malformed: true })
  expect(await (await lookUp("76")).text()).toBe('{\n"a"b')
})

describe("a fault with an input", () => {
  const forApple = (rule: object) => fault({ api: "bluetoothlookup", input: { companyid: "76" }, ...rule })

  test.each([503, 403, 401, 502])("and the status %d acts on a call with this input only", async (status) => {
    await forApple({ status })
    expect([...(await statusesOf(1, "77")), ...(await statusesOf(1, "76"))]).toEqual([200, status])
    expect((await mock.fetch("/v1/bluetoothlookup?companyid=x", { key })).status).toBe(400)
  })

  test("acts on one input of a batch, and on the whole batch where the whole is refused", async () => {
    await forApple({ status: 503 })
    const { data } = await readAnswer(batch("77", "76"))
    expect(data).toMatchObject({ succeeded: 1, failed: 1, results: [{ status: "ok" }, { status: "error" }] })
    await forApple({ status: 401 })
    expect([(await batch("77", "76")).status, (await batch("77", "78")).status]).toEqual([401, 200])
  })

  test("acts on a field of a query, with arguments and with variables", async () => {
    await forApple({ status: 503 })
    const both =
      'query ($i: BluetoothlookupInput!, $c: String! = "76") { a: bluetoothlookup(input: $i) { found } b: bluetoothlookup(input: {companyid: $c}) { found } }'
    const answer = await readGraphql(query(both, { i: { companyid: "77" } }))
    const data = { a: { found: true }, b: null }
    expect(answer).toEqual({ status: 200, code: "UPSTREAM_UNAVAILABLE", data })
    await forApple({ status: 502, times: 1 })
    expect((await query(both, { i: { companyid: "77" } })).status).toBe(502)
    await forApple({ status: 502 })
    expect((await query('{ bluetoothlookup(input: {companyid: "77"}) { found } }')).status).toBe(200)
    for (const bad of ["{ bluetoothlookup(input: 5) { found } }", "{ bluetoothlookup { found } }"])
      expect((await query(bad)).status).toBe(400)
  })

  test.each([[76], ["76"]])("as %p matches this number in a query and in JSON", async (companyid) => {
    await fault({ api: "bluetoothlookup", input: { companyid }, status: 503 })
    expect([...(await statusesOf(1, "76")), ...(await statusesOf(1, "0x4C"))]).toEqual([503, 200])
    const inputs = [{ companyid: 76 }, { companyid: "76" }, { companyid: 77 }]
    const { data } = await readAnswer(post(mock, "/v1/bluetoothlookup/batch", key, { inputs }))
    expect(data).toMatchObject({ results: [{ status: "error" }, { status: "error" }, { status: "ok" }] })
  })

  test("compares values as the API gets them, by POST too", async () => {
    await fault({ api: "hmac", input: { message: "a", algorithm: "sha256" }, status: 500 })
    const sign = async (body: object) => (await post(mock, "/v1/hmac", key, body)).status
    expect(await sign({ message: "a", secret: "s" })).toBe(500)
    expect(await sign({ message: "a", secret: "s", algorithm: "sha512" })).toBe(200)
    expect(await sign({ message: "b", secret: "s" })).toBe(200)
    await fault({ api: "sunrisesunset", input: { lat: 51.5 }, status: 500 })
    const sun = async (lat: string) =>
      (await mock.fetch(`/v1/sunrisesunset?lat=${lat}&lon=0`, { key })).status
    expect([await sun("51.50"), await sun("51.51")]).toEqual([500, 200])
  })

  test("is the same as a number and as a text, and empty as without one: the later rule replaces the first", async () => {
    for (const [one, other] of [
      [{ companyid: 76 }, { companyid: "76" }],
      [{}, undefined],
    ]) {
      const rules = [one, other].map((input) => ({ api: "bluetoothlookup", ...(input && { input }) }))
      for (const rule of rules) await fault({ ...rule, status: 503 })
      for (const rule of rules) await stub({ ...rule, data: { company: "A" } })
      const listed = await Promise.all(["/faults", "/stubs"].map((path) => mock.control("GET", path)))
      expect(listed.map(({ data }) => data)).toEqual([
        { faults: [{ ...rules[1], status: 503 }] },
        { stubs: [{ ...rules[1], data: { company: "A" } }] },
      ])
      await mock.reset()
    }
  })

  test("stands beside one without, and a later one replaces one with the same input", async () => {
    await fault({ api: "bluetoothlookup", status: 500 })
    await forApple({ status: 403 })
    await forApple({ status: 503 })
    expect((await mock.control("GET", "/faults")).data?.faults).toHaveLength(2)
    expect([...(await statusesOf(1, "77")), ...(await statusesOf(1, "76"))]).toEqual([500, 503])
  })

  test("counts only the calls that match", async () => {
    await forApple({ status: 503, times: 1 })
    expect(await statusesOf(2, "77")).toEqual([200, 200])
    expect(await statusesOf(2)).toEqual([503, 200])
  })
})

describe("a probability", () => {
  test("lets a fault act on about as many calls, the same ones after each reset, others with another seed", async () => {
    const sequence = async (seed?: number) => {
      await mock.reset()
      await fault({
        api: "bluetoothlookup",
        status: 503,
        probability: 0.3,
        ...(seed !== undefined && { seed }),
      })
      return statusesOf(100)
    }
    const first = await sequence()
    const failed = first.filter((status) => status === 503).length
    expect(failed).toBeGreaterThan(15)
    expect(failed).toBeLessThan(45)
    expect(await sequence()).toEqual(first)
    expect(await sequence(0)).toEqual(first)
    expect(await sequence(1)).not.toEqual(first)
  })

  test("counts only the calls that fail, and draws only for calls that match", async () => {
    await fault({ api: "bluetoothlookup", status: 503, probability: 0.5, times: 5 })
    const statuses = await statusesOf(40)
    expect(statuses.filter((status) => status === 503)).toHaveLength(5)
    expect((await mock.control("GET", "/faults")).data?.faults).toEqual([])
    await mock.reset()
    await fault({ api: "bluetoothlookup", status: 503, probability: 0.5, times: 5 })
    const mixed: number[] = []
    for (let call = 0; call < 40; call++) {
      await mock.fetch("/v1/usage", { key })
      mixed.push(...(await statusesOf(1)))
    }
    expect(mixed).toEqual(statuses)
  })

  test("lets a stub answer some of the calls", async () => {
    await stub({ api: "bluetoothlookup", data: { company: "Stub" }, probability: 0.5, seed: 7 })
    const companies = await Promise.all(
      Array.from({ length: 40 }, async () => (await readAnswer(lookUp("76"))).data?.company),
    )
    expect(new Set(companies)).toEqual(new Set(["Stub", "Apple, Inc."]))
  })
})

test("POST works as PUT on every control path", async () => {
  const now = "2025-03-01T12:00:00.000Z"
  const zone = { "a.example": [{ TXT: "v=spf1 -all" }] }
  const faulty = { code: 200, data: { faults: [{ api: "hmac", status: 503 }] } }
  expect(await mock.control("POST", "/faults", { api: "hmac", status: 503 })).toMatchObject(faulty)
  const stubbed = await mock.control("POST", "/stubs", { api: "bluetoothlookup", data: { company: "A" } })
  expect(stubbed).toMatchObject({ code: 200, data: { stubs: [{ api: "bluetoothlookup" }] } })
  expect(await mock.control("POST", "/clock", { now })).toMatchObject({ code: 200, data: { now } })
  expect(await mock.control("POST", "/dns", zone)).toMatchObject({ code: 200, data: { names: 1 } })
  expect((await readAnswer(lookUp("76"))).data).toMatchObject({ company: "A" })
})
