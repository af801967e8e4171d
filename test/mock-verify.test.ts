/** `POST /_mock/verify`: what came is as expected, or a diff that a person reads, or a plain "cannot be found out". */
import { beforeEach, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { secretsOf } from "../src/apis/contract.ts"
import { catalog } from "../src/app/prepare.ts"
import { createJournal, type Journal, maxBodyCharacters, maxEntries, toMessage } from "../src/mock/journal.ts"
import { type Pattern, verify } from "../src/mock/verify.ts"
import { post, startTestMock, ways } from "./support/mock.ts"

const mock = await startTestMock()
beforeEach(() => mock.reset())

const lookUp = (id: string, key = "mock-pro", headers: Record<string, string> = {}) =>
  mock.fetch(`/v1/bluetoothlookup?companyid=${id}`, { key, headers })
const sign = (message: string, key = "mock-pro") =>
  post(mock, "/v1/hmac", key, { message, secret: "hidden-one" })
const check = (expectation: object) => mock.control("POST", "/verify", expectation)
const noNotices = async () => []
const codeOf = async (expectation: object) => (await check(expectation)).code

describe("counts requests", () => {
  beforeEach(async () => {
    await lookUp("76")
    await lookUp("77", "mock-free", { "x-trace": "abc" })
    await lookUp("x")
    await sign("a")
  })

  test.each([
    [{}, 200],
    [{ count: 4 }, 200],
    [{ count: 3 }, 417],
    [{ api: "bluetoothlookup", count: 3 }, 200],
    [{ api: "bluetoothlookup", status: 200, count: 2 }, 200],
    [{ api: "bluetoothlookup", status: 400 }, 200],
    [{ api: "bluetoothlookup", input: { companyid: 76 }, count: 1 }, 200],
    [{ api: "bluetoothlookup", input: { companyid: "0x4C" } }, 417],
    [{ api: "hmac", input: { message: "a", algorithm: "sha256" } }, 200],
    [{ api: "hmac", input: { message: "b" } }, 417],
    [{ api: "spfvalidator" }, 417],
    [{ api: "spfvalidator", count: 0 }, 200],
    [{ key: "mock-free" }, 200],
    [{ key: "mock-free-1" }, 417],
    [{ header: { "X-Trace": "abc" }, count: 1 }, 200],
    [{ header: { "x-trace": "abd" } }, 417],
    [{ at_least: 2, at_most: 4 }, 200],
    [{ at_least: 5 }, 417],
    [{ at_most: 3 }, 417],
    [{ api: "hmac", at_most: 0 }, 417],
    [{ order: [{ api: "bluetoothlookup" }, { api: "hmac" }] }, 200],
    [{ order: [{ api: "hmac" }, { api: "bluetoothlookup" }] }, 417],
    [{ order: [{ api: "hmac" }, { api: "hmac" }] }, 417],
    [{ key: "mock-pro", order: [{ status: 200 }, { status: 400 }, { api: "hmac" }] }, 200],
    [{ key: "mock-free", order: [{ status: 200 }, { api: "hmac" }] }, 417],
  ])("%j is a %d", async (expectation, code) => {
    expect(await codeOf(expectation)).toBe(code)
    // To look changes nothing.
    expect(await codeOf({ count: 4 })).toBe(200)
  })
})

test("counts a batch, a query and a tool call as one request, with any of its inputs", async () => {
  await ways.batch(mock, "mock-pro")
  await ways.graphql(mock, "mock-pro")
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call" }
  const params = { name: "bluetoothlookup", arguments: { companyid: "77" } }
  await post(mock, "/mcp", "mock-pro", { ...call, params })
  const of = (companyid: string, count: number) =>
    codeOf({ api: "bluetoothlookup", input: { companyid }, count })
  expect([await of("76", 2), await of("77", 2), await of("78", 0)]).toEqual([200, 200, 200])
})

test("finds the inputs of each API again, without its secrets", async () => {
  for (const definition of catalog) {
    const { id, method, examples } = definition
    const input = withoutBlanks(examples[0]?.input ?? {})
    const secrets = secretsOf(definition)
    const shown = Object.fromEntries(Object.entries(input).filter(([name]) => !secrets.includes(name)))
    if (method === "GET")
      await mock.fetch(`/v1/${id}?${new URLSearchParams(toTexts(input))}`, { key: "mock-pro" })
    else await post(mock, `/v1/${id}`, "mock-pro", input)
    const found = await check({ api: id, input: shown, count: 1 })
    expect([id, found.code, found.error]).toEqual([id, 200, null])
    const [name] = Object.keys(shown)
    if (name !== undefined) expect(await codeOf({ api: id, input: shown, count: 0 })).toBe(417)
  }
  expect(catalog.length).toBeGreaterThan(30)
})

/** An API with single values does not get the blanks around them. */
function withoutBlanks(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const trim = (value: unknown) => (typeof value === "string" ? value.trim() : value)
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, trim(value)]))
}

const toTexts = (input: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(input).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]),
  )

test("a whole question of any form is answered or refused, never with an error of the service", async () => {
  await lookUp("76")
  const value = fc.jsonValue({ maxDepth: 2 })
  const number = fc.integer({ min: -1, max: 3 })
  const pattern = fc.record(
    {
      api: fc.oneof(fc.constantFrom("hmac", "bluetoothlookup"), value),
      key: fc.oneof(fc.constantFrom("mock-pro", "pk-0123456789"), value),
      status: fc.oneof(fc.constant(200), value),
      input: fc.oneof(fc.constantFrom({ companyid: "76" }, { message: "a" }), value),
      header: fc.oneof(fc.dictionary(fc.string(), fc.string()), value),
    },
    { requiredKeys: [] },
  )
  const numbers = fc.record(
    { count: number, at_least: number, at_most: number, order: fc.array(fc.oneof(pattern, value)) },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(pattern, numbers, async (one, other) => {
      const { code, error } = await check({ ...one, ...other })
      expect([200, 400, 417]).toContain(code)
      if (code === 400) expect(error).toMatch(/^The '.+' parameter .+\.$/s)
    }),
    { numRuns: 300 },
  )
})

describe("a refusal shows what came instead, nearest first", () => {
  test("as a diff of each condition", async () => {
    await lookUp("76")
    await sign("b", "mock-free")
    await sign("b")
    const { code, status, error, data } = await check({
      ...{ api: "hmac", key: "mock-pro", status: 503 },
      input: { message: "a" },
    })
    expect({ code, status, data }).toEqual({ code: 417, status: "error", data: null })
    expect(error).toBe(
      [
        'Expected at least 1: api hmac, key mock-pro, status 503, input.message "a"',
        "0 came.",
        "The nearest of 3 others (- expected, + came):",
        "#3 POST /v1/hmac with key mock-pro → 200",
        "    api hmac",
        "    key mock-pro",
        "  - status 503",
        "  + status 200",
        '  - input.message "a"',
        '  + input.message "b"',
        "#2 POST /v1/hmac with key mock-free → 200",
        "    api hmac",
        "  - key mock-pro",
        "  + key mock-free",
        "  - status 503",
        "  + status 200",
        '  - input.message "a"',
        '  + input.message "b"',
        "#1 GET /v1/bluetoothlookup?companyid=76 with key mock-pro → 200",
        "  - api hmac",
        "  + api bluetoothlookup",
        "    key mock-pro",
        "  - status 503",
        "  + status 200",
        '  - input.message "a"',
        "  + input.message (none)",
      ].join("\n"),
    )
  })

  test("of a batch by its nearest input", async () => {
    await ways.batch(mock, "mock-pro")
    const { error } = await check({ api: "bluetoothlookup", input: { companyid: "78" } })
    expect(error).toContain('  - input.companyid "78"\n  + input.companyid "76"')
  })

  test("of too many as a list, and of an order with the place where it ended", async () => {
    for (const id of ["76", "77"]) await lookUp(id)
    expect((await check({ api: "bluetoothlookup", at_most: 1 })).error).toBe(
      "Expected at most 1: api bluetoothlookup\n2 came." +
        "\n#1 GET /v1/bluetoothlookup?companyid=76 with key mock-pro → 200" +
        "\n#2 GET /v1/bluetoothlookup?companyid=77 with key mock-pro → 200",
    )
    const of = (companyid: string) => ({ api: "bluetoothlookup", input: { companyid } })
    expect((await check({ order: [of("77"), of("76")] })).error).toBe(
      'Expected in this order:\n  1. api bluetoothlookup, input.companyid "77"\n  2. api bluetoothlookup, input.companyid "76"\n' +
        "Number 2 did not come after #2. It came before:\n" +
        "#1 GET /v1/bluetoothlookup?companyid=76 with key mock-pro → 200\nNo other request came.",
    )
  })

  test("of long values from shortly before their difference", async () => {
    const start = "s".repeat(1_000)
    await sign(`${start}one${start}`)
    const { error } = await check({ api: "hmac", input: { message: `${start}two${start}` } })
    const [before, after] = ["s".repeat(50), "s".repeat(147)]
    expect(error).toEndWith(
      `  - input.message …${before}two${after}…\n  + input.message …${before}one${after}…`,
    )
  })

  test("in at most five requests and 200 characters of a value", async () => {
    for (let n = 0; n < 8; n++) await lookUp("9".repeat(9_000))
    const header = { "x-trace": "t".repeat(9_000) }
    const { error } = await check({ header })
    expect(error?.match(/^#/gm)).toHaveLength(5)
    expect(error).toContain("The nearest of 8 others")
    expect(error?.length).toBeLessThan(4_000)
  })
})

test("no secret is kept or shown, and a connection that was reset has no status", async () => {
  await sign("a")
  await mock.control("PUT", "/faults", { reset: true })
  await expect(sign("b")).rejects.toThrow()
  const { error } = await check({ api: "hmac", status: 500, header: { "content-type": "text/plain" } })
  expect(error).toContain("→ connection reset")
  expect(error).toContain("  + status (none)")
  expect(error).not.toContain("hidden-one")
})

test.each([
  [{ count: 1, at_least: 1 }, "count"],
  [{ count: 1, at_most: 1 }, "count"],
  [{ at_least: 3, at_most: 2 }, "at_least"],
  [{ at_least: 0 }, "at_least"],
  [{ count: -1 }, "count"],
  [{ count: 1.5 }, "count"],
  [{ at_most: 1e9 }, "at_most"],
  [{ order: [{}, {}], count: 2 }, "count"],
  [{ order: [{}, {}], at_most: 2 }, "at_most"],
  [{ order: [{}] }, "order"],
  [{ order: {} }, "order"],
  [{ order: Array(101).fill({}) }, "order"],
  [{ order: [{}, 5] }, "order"],
  [{ order: [{}, { count: 1 }] }, "order[1].count"],
  [{ order: [{ api: "hmacs" }, {}] }, "order[0].api"],
  [{ api: "spfvalidator", order: [{ api: "hmac" }, {}] }, "order[0].api"],
  [{ status: 200, order: [{ status: 200 }, { status: 503 }] }, "order[1].status"],
  [{ header: { a: "b" }, order: [{}, { header: { c: "d" } }] }, "order[1].header"],
  [{ webhook: "key.created", order: [{}, { webhook: "key.revoked" }] }, "order[1].webhook"],
  [{ order: [{}, { input: { message: "a" } }] }, "order[1].api"],
  [{ order: [{}, { api: "hmac", input: { text: "a" } }] }, "order[1].input.text"],
  [{ api: "hmacs" }, "api"],
  [{ api: "hmac", input: { message: 5 } }, "input.message"],
  [{ api: "hmac", input: { secret: "s" } }, "input.secret"],
  [{ input: { message: "a" } }, "api"],
  [{ status: 99 }, "status"],
  [{ key: "" }, "key"],
  [{ header: { "a b": "c" } }, "header.a b"],
  [{ header: { "X-API-Key": "mock-pro" } }, "header.X-API-Key"],
  [{ header: { authorization: "Bearer mock-pro" } }, "header.authorization"],
  [{ header: { a: 5 } }, "header"],
  [{ header: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`x-${n}`, "v"])) }, "header"],
  [{ api: "hmac", input: { message: "m".repeat(maxBodyCharacters) } }, "input"],
  [{ counts: 1 }, "counts"],
  [{ webhook: "credits.low" }, "webhook"],
  [{ webhook: true }, "webhook"],
  [{ webhook: "key.created", status: 200 }, "status"],
  [{ webhook: "key.created", count: 1, at_least: 1 }, "count"],
  [{ webhook: "key.created", api: "hmac" }, "api"],
  [{ order: [{ webhook: "key.created" }, { api: "hmac" }] }, "order"],
  [{ order: [{ api: "hmac" }, { webhook: "key.created" }] }, "order"],
  [{ webhook: "key.created", order: [{}, { webhook: "key.creatd" }] }, "order[1].webhook"],
  [{ webhook: "key.created", order: [{}, { key: "mock-pro" }] }, "order[1].key"],
  ["[]", "body"],
  ["", "body"],
])("contradictions are a 400 that names what to change: %j names %s", async (expectation, field) => {
  const { code, error } = await mock.control("POST", "/verify", expectation)
  expect([code, error]).toEqual([400, expect.stringContaining(`'${field}'`)])
})

const entry = (apis: readonly string[]) => ({
  ...{ at: "", method: "GET", path: "/", apis, key: null, fault: null, response: null },
  request: toMessage({}, ""),
})

test("lets other work in between two requests of the journal", async () => {
  const journal = createJournal()
  for (let sent = 0; sent < 100; sent++) journal.add(entry([]), "{}")
  let pauses = 0
  const pause = async () => {
    pauses++
  }
  await verify({ count: 100 }, { ...journal.records(), pause }, noNotices)
  expect(pauses).toBe(100)
  const order = [{}, { status: 200 }]
  await verify({ order }, { ...journal.records(), pause }, noNotices)
  // Once to look for the order, and once for what came instead.
  expect(pauses).toBe(300)
})

describe("when the journal cannot know, it says so", () => {
  const pattern = { api: "a", input: { n: 1 } }
  const pause = () => undefined
  /** A journal that dropped some requests, then got some with `n: 1`, some with another, and some with one that is not kept. */
  function journalOf(dropped: number, same: number, other: number, unknown: number) {
    const journal = createJournal()
    for (let n = 0; n < dropped; n++) journal.add(entry(["a"]), "{}")
    const records = [
      ...Array<string>(same).fill('{"a":[{"n":1}]}'),
      ...Array<string>(other).fill('{"a":[{"n":2}]}'),
      ...Array<null>(unknown).fill(null),
    ]
    for (const inputs of records) journal.add(entry(["a"]), inputs)
    for (let n = records.length; dropped > 0 && n < maxEntries; n++) journal.add(entry([]), "{}")
    return journal
  }
  const outcomeOf = async (journal: Pick<Journal, "records">, expectation: object) =>
    (await verify(expectation, { ...journal.records(), pause }, noNotices)).outcome

  test("and never that a request did not come which it may have forgotten", async () => {
    const few = fc.integer({ min: 0, max: 3 })
    const number = fc.integer({ min: 0, max: 6 })
    const bounds = fc.oneof(
      number.map((count) => ({ count })),
      fc
        .tuple(number, number)
        .map(([one, other]) => ({ at_least: Math.min(one, other), at_most: Math.max(one, other) })),
    )
    await fc.assert(
      fc.asyncProperty(few, few, few, few, bounds, async (dropped, same, other, unknown, bound) => {
        // As of a full journal, which the tests below have.
        const records = { ...journalOf(0, same, other, unknown).records(), dropped }
        const [least, most] = "count" in bound ? [bound.count, bound.count] : [bound.at_least, bound.at_most]
        // Each number of requests that may have come.
        const possible = Array.from({ length: dropped + unknown + 1 }, (_, more) => same + more)
        const isMet = possible.map((count) => count >= least && count <= most)
        const expected = isMet.every(Boolean) ? "met" : isMet.some(Boolean) ? "unknown" : "unmet"
        expect(await outcomeOf({ records: () => records }, { ...pattern, ...bound })).toBe(expected)
      }),
      { numRuns: 200 },
    )
  })

  test("also of an order", async () => {
    const order: Pattern[] = [pattern, { api: "a", input: { n: 2 } }]
    expect(await outcomeOf(journalOf(0, 1, 1, 0), { order })).toBe("met")
    expect(await outcomeOf(journalOf(2, 1, 1, 0), { order })).toBe("met")
    expect(await outcomeOf(journalOf(0, 1, 0, 0), { order })).toBe("unmet")
    expect(await outcomeOf(journalOf(2, 1, 0, 0), { order })).toBe("unknown")
    expect(await outcomeOf(journalOf(0, 1, 0, 1), { order })).toBe("unknown")
  })

  test("with a 409 that names the way out", async () => {
    await sign("x".repeat(maxBodyCharacters))
    const asked = { api: "hmac", input: { message: "a" } }
    expect(await check(asked)).toMatchObject({
      code: 409,
      error:
        'It cannot be found out. Expected at least 1: api hmac, input.message "a"\nAt least 0 came.\n' +
        "The input of #1 is too long to be kept: leave out 'input'.",
    })
    expect(await codeOf({ ...asked, status: 503, count: 0 })).toBe(200)
    await sign("a")
    expect([await codeOf(asked), await codeOf({ ...asked, count: 1 })]).toEqual([200, 409])
    const dropped = await verify({ count: 3 }, { ...journalOf(2, 0, 0, 0).records(), pause }, noNotices)
    expect(dropped.outcome).toBe("unmet")
    const unknown = await verify(pattern, { ...journalOf(2, 0, 0, 0).records(), pause }, noNotices)
    expect(unknown.text).toEndWith(
      "The 2 oldest requests are no longer kept: empty the journal before the part to verify.",
    )
  })
})
